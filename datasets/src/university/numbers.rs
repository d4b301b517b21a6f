//! Which number (`nr`) and which name everything has; neither depends on the scale factor.

/// Scale factors up to here are taken. Universities are numbered from 0, publication numbers grow
/// by ten millions a university, and those of university number 215 do not fit 32 bits with a sign.
pub const LARGEST_SCALE_FACTOR: u32 = 215;

/// What somebody of the faculty is.
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

    pub fn is_professor(self) -> bool {
        self != Self::Lecturer
    }

    /// How many publications somebody of the kind has, at least and at most.
    pub fn publications(self) -> (u32, u32) {
        match self {
            Self::FullProfessor => (15, 20),
            Self::AssociateProfessor => (10, 18),
            Self::AssistantProfessor => (5, 10),
            Self::Lecturer => (0, 5),
        }
    }
}

pub fn department(university: u32, index: u32) -> u32 {
    100 * university + index
}

pub fn research_group(department: u32, index: u32) -> u32 {
    100 * department + index
}

pub fn faculty(department: u32, kind: Kind, index: u32) -> u32 {
    1000 * department + 10 * index + 1 + kind as u32
}

pub fn undergraduate(department: u32, index: u32) -> u32 {
    10_000 * department + 10 * index + 1
}

pub fn graduate(department: u32, index: u32) -> u32 {
    10_000 * department + 10 * index + 2
}

pub fn undergraduate_course(department: u32, index: u32) -> u32 {
    1000 * department + 10 * index + 1
}

pub fn graduate_course(department: u32, index: u32) -> u32 {
    1000 * department + 10 * index + 2
}

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
