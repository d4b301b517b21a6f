//! The numbers (`nr`) and names of all objects, which do not depend on the scale factor.

/// The largest scale factor. Universities are numbered from 0, publication numbers grow by ten
/// million per university, and those of university 215 do not fit into signed 32 bits.
pub const LARGEST_SCALE_FACTOR: u32 = 215;

/// The kind of a member of the faculty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    FullProfessor,
    AssociateProfessor,
    AssistantProfessor,
    Lecturer,
}

impl Kind {
    /// All, in the order in which a department lists them.
    pub const ALL: [Self; 4] = [
        Self::FullProfessor,
        Self::AssociateProfessor,
        Self::AssistantProfessor,
        Self::Lecturer,
    ];

    /// The name as it is part of every person's name and of the column `professorType`.
    pub fn name(self) -> &'static str {
        match self {
            Self::FullProfessor => "fullProfessor",
            Self::AssociateProfessor => "associateProfessor",
            Self::AssistantProfessor => "assistantProfessor",
            Self::Lecturer => "lecturer",
        }
    }

    /// Whether the kind is a professor.
    pub fn is_professor(self) -> bool {
        self != Self::Lecturer
    }

    /// The least and the largest number of publications of a member of this kind.
    pub fn publications(self) -> (u32, u32) {
        match self {
            Self::FullProfessor => (15, 20),
            Self::AssociateProfessor => (10, 18),
            Self::AssistantProfessor => (5, 10),
            Self::Lecturer => (0, 5),
        }
    }
}

/// The number of a department.
pub fn department(university: u32, index: u32) -> u32 {
    100 * university + index
}

/// The number of a research group.
pub fn research_group(department: u32, index: u32) -> u32 {
    100 * department + index
}

/// The number of a member of the faculty.
pub fn faculty(department: u32, kind: Kind, index: u32) -> u32 {
    1000 * department + 10 * index + 1 + kind as u32
}

/// The number of an undergraduate student.
pub fn undergraduate(department: u32, index: u32) -> u32 {
    10_000 * department + 10 * index + 1
}

/// The number of a graduate student.
pub fn graduate(department: u32, index: u32) -> u32 {
    10_000 * department + 10 * index + 2
}

/// The number of an undergraduate course.
pub fn undergraduate_course(department: u32, index: u32) -> u32 {
    1000 * department + 10 * index + 1
}

/// The number of a graduate course.
pub fn graduate_course(department: u32, index: u32) -> u32 {
    1000 * department + 10 * index + 2
}

/// The number of a publication.
pub fn publication(author: u32, index: u32) -> u32 {
    100 * author + index
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest number that a university can have: its last department, lecturer or professor
    /// and publication.
    fn largest(university: u32) -> u64 {
        let department = u64::from(100 * university + 24);
        100 * (1000 * department + 10 * 13 + 4) + 19
    }

    #[test]
    fn numbers_fit_as_long_as_the_scale_factor_does() {
        let last = LARGEST_SCALE_FACTOR - 1;
        assert!(largest(last) <= i32::MAX as u64);
        assert!(largest(last + 1) > i32::MAX as u64);
    }
}
