//! Counts rows and objects in several ways.

use std::collections::BTreeSet;

use super::structure::{Department, UNIVERSITIES, University};
use super::tables::Table;

/// The counts of some universities.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The rows by table, except for `university`.
    rows: [u64; Table::COUNT],
    /// The existing universities: generated ones, and those that are only the origin of degrees.
    pub universities: BTreeSet<u32>,
}

impl Tally {
    /// The counts of a university.
    pub fn of(university: &University) -> Self {
        let mut tally = Self::default();
        tally.universities.insert(university.number);
        tally.universities.extend(university.degree_universities());
        for department in &university.departments {
            for table in Table::ALL {
                tally.rows[table as usize] += rows(department, table);
            }
        }
        tally
    }

    /// Adds other counts.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.rows.iter_mut().zip(&other.rows) {
            *mine += theirs;
        }
        self.universities.extend(&other.universities);
    }

    /// The rows of one table.
    pub fn rows(&self, table: Table) -> u64 {
        match table {
            Table::University => self.universities.len() as u64,
            _ => self.rows[table as usize],
        }
    }

    /// The rows of all tables.
    pub fn all_rows(&self) -> u64 {
        Table::ALL.iter().map(|table| self.rows(*table)).sum()
    }

    /// The objects by the paper's definition: a thousand universities, existing or not, and each
    /// member of the faculty once, not again as a professor or lecturer.
    pub fn paper_objects(&self) -> u64 {
        let counted = Table::ALL.into_iter().filter(|table| {
            !table.is_link()
                && !matches!(
                    table,
                    Table::University | Table::Professor | Table::Lecturer
                )
        });
        u64::from(UNIVERSITIES) + counted.map(|table| self.rows(table)).sum::<u64>()
    }

    /// The rows by the paper's definition: its objects and the rows of link tables.
    pub fn paper_rows(&self) -> u64 {
        let links = Table::ALL.into_iter().filter(|table| table.is_link());
        self.paper_objects() + links.map(|table| self.rows(table)).sum::<u64>()
    }
}

fn rows(department: &Department, table: Table) -> u64 {
    let professors = || {
        department
            .faculty
            .iter()
            .filter(|it| it.kind.is_professor())
    };
    let count = match table {
        Table::University => 0,
        Table::Department => 1,
        Table::ResearchGroup => department.research_groups as usize,
        Table::Faculty => department.faculty.len(),
        Table::Professor => professors().count(),
        Table::Lecturer => department.faculty.len() - professors().count(),
        Table::GraduateStudent => department.graduates.len(),
        Table::UndergraduateCourse => department.undergraduate_courses.len(),
        Table::Publication => department.publications.len(),
        Table::GraduateCourse => department.graduate_courses.len(),
        Table::CoAuthorOfPublication => {
            let students = department.graduates.iter();
            students.map(|it| it.publications.len()).sum()
        }
        Table::UndergraduateStudent => department.undergraduates.len(),
        Table::GraduateStudentTakeCourse => {
            department.graduates.iter().map(|it| it.courses.len()).sum()
        }
        Table::UndergraduateStudentTakeCourse => {
            let students = department.undergraduates.iter();
            students.map(|it| it.courses.len()).sum()
        }
    };
    count as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of each table, and what the paper gives as objects and rows.
    type Known = (u32, [u64; Table::COUNT], u64, u64, u64);

    #[rustfmt::skip]
    const KNOWN: [Known; 7] = [
        (1, [979, 15, 224, 540, 447, 93, 1_874, 828, 5_999, 799, 4_635, 5_916, 3_738, 17_751],
            43_838, 17_195, 43_319),
        (5, [1_000, 93, 1_371, 3_373, 2_811, 562, 11_900, 5_063, 37_854, 5_032, 29_848, 36_682,
            23_749, 110_302], 269_640, 102_368, 266_267),
        (10, [1_000, 189, 2_827, 6_843, 5_715, 1_128, 24_019, 10_278, 76_529, 10_194, 60_342,
            75_547, 47_696, 227_003], 549_310, 207_426, 542_467),
        (15, [1_000, 293, 4_407, 10_521, 8_776, 1_745, 36_766, 15_804, 117_676, 15_732, 92_212,
            116_120, 73_140, 348_471], 842_663, 318_319, 832_142),
        (20, [1_000, 402, 6_032, 14_457, 12_058, 2_399, 50_483, 21_763, 161_684, 21_614, 126_318,
            160_120, 100_726, 480_403], 1_159_459, 437_555, 1_145_002),
        (100, [1_000, 2_007, 30_036, 72_302, 60_268, 12_034, 252_562, 108_634, 808_741, 108_514,
            633_443, 795_970, 505_548, 2_389_201], 5_780_260, 2_179_766, 5_707_958),
        (150, [1_000, 2_991, 44_687, 107_616, 89_718, 17_898, 375_723, 161_673, 1_203_838, 161_321,
            940_429, 1_184_674, 752_014, 3_554_308], 8_597_890, 3_243_523, 8_490_274),
    ];

    #[test]
    fn every_count_is_that_of_the_original_and_of_the_paper() {
        let mut tally = Tally::default();
        let mut made = 0;
        for (scale_factor, tables, all, objects, rows) in KNOWN {
            while made < scale_factor {
                tally.add(&Tally::of(&University::draw(0, made)));
                made += 1;
            }
            assert_eq!(Table::ALL.map(|table| tally.rows(table)), tables);
            assert_eq!(tally.all_rows(), all);
            assert_eq!(tally.paper_objects(), objects);
            assert_eq!(tally.paper_rows(), rows);
        }
    }
}
