//! The structure of a university: everything except texts and ages.

use super::java_random::JavaRandom;
use super::numbers::{self, Kind};

/// The number of universities that degrees come from, for all scale factors.
pub const UNIVERSITIES: u32 = 1000;

const RESEARCH_AREAS: u32 = 30;
const COURSE_POOL: u32 = 100;

/// The factor of the base seed in a university's seed: a constant of the original that overflows
/// its 32 bits.
const SEED_FACTOR: i64 = -(1 << 31);

/// A university; references within a department are indices.
pub struct University {
    pub number: u32,
    pub departments: Vec<Department>,
}

/// A department.
pub struct Department {
    /// The university's number times 100, and the index within the university.
    pub number: u32,
    /// Full, associate, assistant professors, then lecturers.
    pub faculty: Vec<FacultyMember>,
    pub research_groups: u32,
    /// The index of each course's teacher.
    pub undergraduate_courses: Vec<usize>,
    pub graduate_courses: Vec<usize>,
    pub undergraduates: Vec<Undergraduate>,
    pub graduates: Vec<Graduate>,
    pub publications: Vec<Publication>,
    /// Each assisted undergraduate course, and the graduate student who assists.
    pub teaching_assistants: Vec<(u32, u32)>,
    /// The graduate students who assist in research; only in RDF.
    pub research_assistants: Vec<u32>,
}

/// A member of the faculty.
pub struct FacultyMember {
    pub kind: Kind,
    /// The index among those of its kind.
    pub index: u32,
    /// The universities of the bachelor's, master's and doctoral degree.
    pub degrees: [u32; 3],
    /// A professor's area of research; only in RDF.
    pub research_area: Option<u32>,
    pub is_head: bool,
}

/// An undergraduate student.
pub struct Undergraduate {
    pub courses: Vec<u32>,
    /// The kind of professor and the index among those.
    pub advisor: Option<(Kind, u32)>,
}

/// A graduate student.
pub struct Graduate {
    pub courses: Vec<u32>,
    pub undergraduate_degree: u32,
    pub advisor: (Kind, u32),
    /// The publications of the department that the student is a co-author of, by index.
    pub publications: Vec<u32>,
}

/// A publication.
pub struct Publication {
    /// The index of the main author in the department's faculty.
    pub author: usize,
    /// The index among the author's publications.
    pub index: u32,
}

impl University {
    /// The university of a number, from its own random stream.
    pub fn draw(base_seed: u32, number: u32) -> Self {
        let seed = i64::from(base_seed) * SEED_FACTOR + i64::from(number);
        let random = &mut JavaRandom::new(seed);
        let departments = (0..random.between(15, 25))
            .map(|index| draw_department(random, numbers::department(number, index)))
            .collect();
        Self {
            number,
            departments,
        }
    }

    /// The universities that degrees come from, in the order in which they appear.
    pub fn degree_universities(&self) -> impl Iterator<Item = u32> {
        self.departments.iter().flat_map(|department| {
            let faculty = department.faculty.iter().flat_map(|it| it.degrees);
            let graduates = department.graduates.iter();
            faculty.chain(graduates.map(|it| it.undergraduate_degree))
        })
    }
}

fn draw_department(random: &mut JavaRandom, number: u32) -> Department {
    let professors = [(7, 10), (10, 14), (8, 11)].map(|(least, most)| random.between(least, most));
    let lecturers = random.between(5, 7);
    let people = professors.iter().sum::<u32>() + lecturers;
    let undergraduates = random.between(8 * people, 14 * people);
    let graduates = random.between(3 * people, 4 * people);
    let teaching = random.between(graduates / 5, graduates / 4);
    let research = random.between(graduates / 4, graduates / 3);
    let research_groups = random.between(10, 20);
    let head = random.below(professors[0]);

    let mut department = Department {
        number,
        faculty: Vec::with_capacity(people as usize),
        research_groups,
        undergraduate_courses: Vec::new(),
        graduate_courses: Vec::new(),
        undergraduates: Vec::with_capacity(undergraduates as usize),
        graduates: Vec::with_capacity(graduates as usize),
        publications: Vec::new(),
        teaching_assistants: Vec::new(),
        research_assistants: Vec::new(),
    };
    let counts = [professors.as_slice(), &[lecturers]].concat();
    for (kind, count) in Kind::ALL.into_iter().zip(counts) {
        for index in 0..count {
            let is_head = kind == Kind::FullProfessor && index == head;
            draw_faculty_member(random, &mut department, kind, index, is_head);
        }
    }
    for _ in 0..undergraduates {
        let student = draw_undergraduate(random, &department, professors);
        department.undergraduates.push(student);
    }
    for _ in 0..graduates {
        let student = draw_graduate(random, &department, professors);
        department.graduates.push(student);
    }
    let assistants = random.pick(teaching + research, graduates);
    let courses = random.pick(teaching, department.undergraduate_courses.len() as u32);
    let (teaching, research) = assistants.split_at(courses.len());
    department.teaching_assistants = courses.into_iter().zip(teaching.iter().copied()).collect();
    department.research_assistants = research.to_vec();
    department
}

fn draw_faculty_member(
    random: &mut JavaRandom,
    department: &mut Department,
    kind: Kind,
    index: u32,
    is_head: bool,
) {
    let member = department.faculty.len();
    draw_courses(random, member, &mut department.undergraduate_courses);
    draw_courses(random, member, &mut department.graduate_courses);
    let degrees = [(); 3].map(|()| random.below(UNIVERSITIES));
    let research_area = kind.is_professor().then(|| random.below(RESEARCH_AREAS));
    department.faculty.push(FacultyMember {
        kind,
        index,
        degrees,
        research_area,
        is_head,
    });
    let (least, most) = kind.publications();
    let publications = (0..random.between(least, most)).map(|index| Publication {
        author: member,
        index,
    });
    department.publications.extend(publications);
}

/// Adds one or two courses of a teacher. The original draws an index, but takes the next course.
fn draw_courses(random: &mut JavaRandom, teacher: usize, courses: &mut Vec<usize>) {
    for _ in 0..random.between(1, 2) {
        random.below(COURSE_POOL - courses.len() as u32);
        courses.push(teacher);
    }
}

fn draw_undergraduate(
    random: &mut JavaRandom,
    department: &Department,
    professors: [u32; 3],
) -> Undergraduate {
    let count = random.between(2, 4);
    Undergraduate {
        courses: random.pick(count, department.undergraduate_courses.len() as u32),
        advisor: (random.below(5) == 0).then(|| draw_advisor(random, professors)),
    }
}

fn draw_graduate(
    random: &mut JavaRandom,
    department: &Department,
    professors: [u32; 3],
) -> Graduate {
    let count = random.between(1, 3);
    let courses = random.pick(count, department.graduate_courses.len() as u32);
    let undergraduate_degree = random.below(UNIVERSITIES);
    random.below(1); // whether there is an advisor: always, but a number is drawn
    let advisor = draw_advisor(random, professors);
    let count = random.between(0, 5);
    Graduate {
        courses,
        undergraduate_degree,
        advisor,
        publications: random.pick(count, department.publications.len() as u32),
    }
}

fn draw_advisor(random: &mut JavaRandom, professors: [u32; 3]) -> (Kind, u32) {
    let kind = random.below(3) as usize;
    (Kind::ALL[kind], random.below(professors[kind]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_kind(department: &Department, kind: Kind) -> usize {
        department
            .faculty
            .iter()
            .filter(|it| it.kind == kind)
            .count()
    }

    #[test]
    fn the_first_departments_have_the_known_values() {
        let university = University::draw(0, 0);

        assert_eq!(university.departments.len(), 15);
        let known = [
            ([10, 14, 10, 7], 532, 146, 10, 71),
            ([10, 10, 8, 6], 411, 110, 19, 1041),
            ([7, 12, 8, 7], 376, 107, 13, 2041),
        ];
        for (department, (faculty, undergraduates, graduates, groups, head)) in
            university.departments.iter().zip(known)
        {
            assert_eq!(Kind::ALL.map(|kind| of_kind(department, kind)), faculty);
            assert_eq!(department.undergraduates.len(), undergraduates);
            assert_eq!(department.graduates.len(), graduates);
            assert_eq!(department.research_groups, groups);
            let heads: Vec<u32> = department
                .faculty
                .iter()
                .filter(|it| it.is_head)
                .map(|it| numbers::faculty(department.number, it.kind, it.index))
                .collect();
            assert_eq!(heads, [head]);
        }
    }

    #[test]
    fn assistants_and_advisors_of_the_first_university_have_the_known_values() {
        let university = University::draw(0, 0);
        let sum = |count: fn(&Department) -> usize| -> usize {
            university.departments.iter().map(count).sum()
        };

        assert_eq!(sum(|it| it.teaching_assistants.len()), 407);
        assert_eq!(sum(|it| it.undergraduate_courses.len()), 407 + 421);
        assert_eq!(sum(|it| it.research_assistants.len()), 547);
        let without = |it: &Department| {
            let students = it.undergraduates.iter();
            students.filter(|it| it.advisor.is_none()).count()
        };
        assert_eq!(sum(without), 4689);
    }

    #[test]
    fn another_base_seed_generates_another_university() {
        let groups = |seed| {
            let university = University::draw(seed, 3);
            let departments = university.departments.iter();
            departments.map(|it| it.research_groups).collect::<Vec<_>>()
        };

        assert_eq!(groups(0), groups(0));
        assert_ne!(groups(0), groups(1));
        // 2^17 times the factor is a multiple of the 2^48 states.
        assert_eq!(groups(1), groups((1 << 17) + 1));
    }
}
