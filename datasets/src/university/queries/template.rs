//! The sixteen query templates.

/// A query with placeholders.
pub struct Template {
    /// 1 to 16.
    pub number: u32,
    /// The placeholders, in the order in which their values are drawn.
    pub placeholders: &'static [Placeholder],
    /// The choke points of the query, by the benchmark's numbers.
    pub choke_points: &'static [&'static str],
    /// The text, with the original's names of the placeholders.
    pub text: &'static str,
}

/// A kind of value of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placeholder {
    Faculty,
    University,
    ResearchGroup,
    Lecturer,
    Department,
    Offset,
    Count,
    FirstField,
    SecondField,
    PublicationField,
    Keyword,
    InterestWord,
    Age,
}

use Placeholder::*;

impl Placeholder {
    /// The benchmark's name; in the texts it has a dollar sign in front.
    pub fn name(self) -> &'static str {
        match self {
            Faculty => "facultyID",
            University => "universityID",
            ResearchGroup => "researchGroupID",
            Lecturer => "lecturerID",
            Department => "departmentID",
            Offset => "offset",
            Count => "cnt",
            FirstField => "attrGStudent1",
            SecondField => "attrGStudent2",
            PublicationField => "attrPublicationField",
            Keyword => "keyword",
            InterestWord => "interestWord",
            Age => "age",
        }
    }

    /// Whether it is a word or the name of a field.
    pub fn is_text(self) -> bool {
        matches!(
            self,
            FirstField | SecondField | PublicationField | Keyword | InterestWord
        )
    }
}

/// The fields by which graduate students can be ordered.
pub const STUDENT_FIELDS: [&str; 6] = [
    "id",
    "telephone",
    "emailAddress",
    "memberOf",
    "undergraduateDegreeFrom",
    "advisor",
];

/// The fields by which publications can be ordered.
pub const PUBLICATION_FIELDS: [&str; 2] = ["title", "abstract"];

/// The templates, in the order of their numbers.
pub const TEMPLATES: [Template; 16] = [
    Template {
        number: 1,
        placeholders: &[Faculty],
        choke_points: &["1.1", "2.1", "2.2"],
        text: "{
  faculty(nr: $facultyID) {
    doctoralDegreeFrom {
      undergraduateDegreeObtainedBystudent { id emailAddress }
    }
  }
}",
    },
    Template {
        number: 2,
        placeholders: &[University],
        choke_points: &["2.1"],
        text: "{
  university(nr: $universityID) {
    doctoralDegreeObtainers {
      publications { title }
    }
  }
}",
    },
    Template {
        number: 3,
        placeholders: &[ResearchGroup],
        choke_points: &["1.1", "2.2", "2.3"],
        text: "{
  researchGroup(nr: $researchGroupID) {
    subOrganizationOf {
      head { id emailAddress doctoralDegreeFrom { id } }
    }
  }
}",
    },
    Template {
        number: 4,
        placeholders: &[Lecturer],
        choke_points: &["2.1", "2.2", "2.3", "2.5"],
        text: "{
  lecturer(nr: $lecturerID) {
    doctoralDegreeFrom {
      id
      undergraduateDegreeObtainedBystudent {
        id
        emailAddress
        advisor { id emailAddress worksFor { id } }
      }
    }
  }
}",
    },
    Template {
        number: 5,
        placeholders: &[Department],
        choke_points: &["2.1", "2.2", "2.3", "2.4"],
        text: "{
  department(nr: $departmentID) {
    id
    subOrganizationOf {
      id
      undergraduateDegreeObtainedBystudent {
        id
        emailAddress
        memberOf {
          id
          subOrganizationOf {
            id
            undergraduateDegreeObtainedBystudent {
              id
              emailAddress
              memberOf { id }
            }
          }
        }
      }
    }
  }
}",
    },
    Template {
        number: 6,
        placeholders: &[University],
        choke_points: &["2.1", "2.2", "2.5"],
        text: "{
  university(nr: $universityID) {
    undergraduateDegreeObtainedBystudent {
      advisor { worksFor { id } }
    }
  }
}",
    },
    Template {
        number: 7,
        placeholders: &[University, Offset],
        choke_points: &["1.1", "2.1", "2.2", "2.3", "2.5", "3.2"],
        text: "{
  university(nr: $universityID) {
    undergraduateDegreeObtainedBystudent(limit: 10, offset: $offset) {
      advisor { id }
    }
  }
}",
    },
    Template {
        number: 8,
        placeholders: &[Count, FirstField, SecondField],
        choke_points: &["1.1", "3.1", "3.3"],
        text: "{
  graduateStudents(limit: $cnt, order: [$attrGStudent1, $attrGStudent2]) {
    id
    telephone
    emailAddress
  }
}",
    },
    Template {
        number: 9,
        placeholders: &[University, PublicationField],
        choke_points: &["2.1", "2.2", "2.5", "3.1", "3.3"],
        text: "{
  university(nr: $universityID) {
    undergraduateDegreeObtainedBystudent(limit: 50) {
      advisor {
        publications(order: {field: $attrPublicationField, direction: DESC}) { id }
      }
    }
  }
}",
    },
    Template {
        number: 10,
        placeholders: &[Keyword],
        choke_points: &["1.1", "4.1"],
        text: "{
  publicationSearch(field: title, criterion: CONTAINS, pattern: \"$keyword\") {
    id
    title
    abstract
  }
}",
    },
    Template {
        number: 11,
        placeholders: &[University],
        choke_points: &["2.5", "4.4"],
        text: "{
  graduateStudents(where: {university: {nr: $universityID}}) {
    id
    advisor { id }
  }
}",
    },
    Template {
        number: 12,
        placeholders: &[University, Department],
        choke_points: &["2.1", "4.3"],
        text: "{
  university(nr: $universityID) {
    doctoralDegreeObtainers(where: {worksFor: {nr: $departmentID}}) {
      id
      emailAddress
      publications { id }
    }
  }
}",
    },
    Template {
        number: 13,
        placeholders: &[University, InterestWord],
        choke_points: &["2.1", "4.1", "4.2", "4.3"],
        text: "{
  university(nr: $universityID) {
    undergraduateDegreeObtainedBystudent(
      where: {advisor: {researchInterest: {criterion: CONTAINS, pattern: \"$interestWord\"}}}
    ) {
      id
      emailAddress
      takeGraduateCourses { id }
    }
  }
}",
    },
    Template {
        number: 14,
        placeholders: &[University, Age, InterestWord],
        choke_points: &["2.1", "4.1", "4.2", "4.3", "4.5"],
        text: "{
  university(nr: $universityID) {
    undergraduateDegreeObtainedBystudent(
      where: {
        AND: {
          age: {pattern: $age, criterion: MORETHAN}
          advisor: {researchInterest: {criterion: CONTAINS, pattern: \"$interestWord\"}}
        }
      }
    ) {
      id
      emailAddress
      takeGraduateCourses { id }
    }
  }
}",
    },
    Template {
        number: 15,
        placeholders: &[University],
        choke_points: &["5.2"],
        text: "{
  university(nr: $universityID) {
    graduateStudentConnection {
      aggregate { count }
    }
  }
}",
    },
    Template {
        number: 16,
        placeholders: &[University],
        choke_points: &["5.1"],
        text: "{
  university(nr: $universityID) {
    graduateStudentConnection {
      aggregate { age { avg max min } }
    }
  }
}",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_placeholder_is_in_the_text_exactly_once() {
        for (template, number) in TEMPLATES.iter().zip(1..) {
            assert_eq!(template.number, number);
            let mut text = template.text.to_owned();
            for placeholder in template.placeholders {
                let place = format!("${}", placeholder.name());
                assert_eq!(text.matches(&place).count(), 1);
                text = text.replace(&place, "");
            }
            assert!(!text.contains('$'), "{text}");
            assert_eq!(text.matches('{').count(), text.matches('}').count());
        }
    }

    #[test]
    fn fields_are_not_part_of_each_other_or_of_a_number() {
        // Instances are told apart by the original by a search in their text; it comes to the same
        // as comparing values only because of this.
        for (index, one) in STUDENT_FIELDS.iter().enumerate() {
            for (other_index, other) in STUDENT_FIELDS.iter().enumerate() {
                assert_eq!(one.contains(other), index == other_index);
            }
        }
    }
}
