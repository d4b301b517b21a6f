//! The fourteen tables: names, columns, keys and references, for all formats.

/// A table, in the order of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    University,
    Department,
    ResearchGroup,
    Faculty,
    Professor,
    Lecturer,
    GraduateStudent,
    UndergraduateCourse,
    Publication,
    GraduateCourse,
    CoAuthorOfPublication,
    UndergraduateStudent,
    GraduateStudentTakeCourse,
    UndergraduateStudentTakeCourse,
}

/// One column; those of the key come first.
pub struct Column {
    pub name: &'static str,
    pub kind: Kind,
    pub references: Option<Table>,
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An integer of 32 bits.
    Number,
    /// A text of at most this many characters.
    Text(usize),
}

/// The value of a column in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    Null,
    Number(u32),
    Text(&'a str),
}

const fn number(name: &'static str) -> Column {
    Column {
        name,
        kind: Kind::Number,
        references: None,
    }
}

const fn text(name: &'static str, width: usize) -> Column {
    Column {
        name,
        kind: Kind::Text(width),
        references: None,
    }
}

const fn reference(name: &'static str, table: Table) -> Column {
    Column {
        name,
        kind: Kind::Number,
        references: Some(table),
    }
}

const NAME: Column = text("name", 25);
const TELEPHONE: Column = text("telephone", 100);
const EMAIL: Column = text("emailAddress", 2000);

impl Table {
    /// The number of tables.
    pub const COUNT: usize = 14;

    /// All tables. A row refers to earlier rows, except for universities named by others, and for
    /// heads and assistants.
    pub const ALL: [Self; Self::COUNT] = [
        Self::University,
        Self::Department,
        Self::ResearchGroup,
        Self::Faculty,
        Self::Professor,
        Self::Lecturer,
        Self::GraduateStudent,
        Self::UndergraduateCourse,
        Self::Publication,
        Self::GraduateCourse,
        Self::CoAuthorOfPublication,
        Self::UndergraduateStudent,
        Self::GraduateStudentTakeCourse,
        Self::UndergraduateStudentTakeCourse,
    ];

    /// The name in the benchmark's spelling. In PostgreSQL, unquoted names are in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::University => "university",
            Self::Department => "department",
            Self::ResearchGroup => "researchGroup",
            Self::Faculty => "faculty",
            Self::Professor => "professor",
            Self::Lecturer => "lecturer",
            Self::GraduateStudent => "graduateStudent",
            Self::UndergraduateCourse => "undergraduateCourse",
            Self::Publication => "publication",
            Self::GraduateCourse => "graduateCourse",
            Self::CoAuthorOfPublication => "coAuthorOfPublication",
            Self::UndergraduateStudent => "undergraduateStudent",
            Self::GraduateStudentTakeCourse => "graduateStudentTakeCourse",
            Self::UndergraduateStudentTakeCourse => "undergraduateStudentTakeCourse",
        }
    }

    /// The columns, in the order of the benchmark.
    pub fn columns(self) -> &'static [Column] {
        const UNIVERSITY: &[Column] = &[number("nr"), NAME];
        const DEPARTMENT: &[Column] = &[
            number("nr"),
            NAME,
            reference("subOrganizationOf", Table::University),
        ];
        const RESEARCH_GROUP: &[Column] = &[
            number("nr"),
            reference("subOrganizationOf", Table::Department),
        ];
        const FACULTY: &[Column] = &[
            number("nr"),
            NAME,
            TELEPHONE,
            EMAIL,
            reference("undergraduateDegreeFrom", Table::University),
            reference("masterDegreeFrom", Table::University),
            reference("doctoralDegreeFrom", Table::University),
            reference("worksFor", Table::Department),
        ];
        const PROFESSOR: &[Column] = &[
            reference("nr", Table::Faculty),
            text("professorType", 100),
            text("researchInterest", 100),
            reference("headOf", Table::Department),
        ];
        const LECTURER: &[Column] = &[reference("nr", Table::Faculty)];
        const GRADUATE_STUDENT: &[Column] = &[
            number("nr"),
            NAME,
            TELEPHONE,
            EMAIL,
            number("age"),
            reference("undergraduateDegreeFrom", Table::University),
            reference("advisor", Table::Professor),
            reference("memberOf", Table::Department),
        ];
        const UNDERGRADUATE_COURSE: &[Column] = &[
            number("nr"),
            NAME,
            reference("teacher", Table::Faculty),
            reference("teachingAssistant", Table::GraduateStudent),
        ];
        const PUBLICATION: &[Column] = &[
            number("nr"),
            NAME,
            text("title", 100),
            // The original has 250, which is too short for three abstracts of its own words above
            // scale factor 192.
            text("abstract", 300),
            reference("mainAuthor", Table::Faculty),
        ];
        const GRADUATE_COURSE: &[Column] =
            &[number("nr"), NAME, reference("teacher", Table::Faculty)];
        const CO_AUTHOR: &[Column] = &[
            reference("publicationID", Table::Publication),
            reference("graduateStudentID", Table::GraduateStudent),
        ];
        const UNDERGRADUATE_STUDENT: &[Column] = &[
            number("nr"),
            NAME,
            TELEPHONE,
            EMAIL,
            number("age"),
            reference("advisor", Table::Professor),
            reference("memberOf", Table::Department),
        ];
        const GRADUATE_TAKES: &[Column] = &[
            reference("graduateStudentID", Table::GraduateStudent),
            reference("graduateCourseID", Table::GraduateCourse),
        ];
        const UNDERGRADUATE_TAKES: &[Column] = &[
            reference("undergraduateStudentID", Table::UndergraduateStudent),
            reference("undergraduateCourseID", Table::UndergraduateCourse),
        ];
        match self {
            Self::University => UNIVERSITY,
            Self::Department => DEPARTMENT,
            Self::ResearchGroup => RESEARCH_GROUP,
            Self::Faculty => FACULTY,
            Self::Professor => PROFESSOR,
            Self::Lecturer => LECTURER,
            Self::GraduateStudent => GRADUATE_STUDENT,
            Self::UndergraduateCourse => UNDERGRADUATE_COURSE,
            Self::Publication => PUBLICATION,
            Self::GraduateCourse => GRADUATE_COURSE,
            Self::CoAuthorOfPublication => CO_AUTHOR,
            Self::UndergraduateStudent => UNDERGRADUATE_STUDENT,
            Self::GraduateStudentTakeCourse => GRADUATE_TAKES,
            Self::UndergraduateStudentTakeCourse => UNDERGRADUATE_TAKES,
        }
    }

    /// The columns of the primary key: the first one, or both columns of a table that links two
    /// others.
    pub fn key(self) -> &'static [Column] {
        &self.columns()[..if self.is_link() { 2 } else { 1 }]
    }

    /// Whether the table only links the rows of two others.
    pub fn is_link(self) -> bool {
        matches!(
            self,
            Self::CoAuthorOfPublication
                | Self::GraduateStudentTakeCourse
                | Self::UndergraduateStudentTakeCourse
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_the_position_of_their_number() {
        for (index, table) in Table::ALL.into_iter().enumerate() {
            assert_eq!(table as usize, index);
        }
    }
}
