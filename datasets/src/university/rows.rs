//! Generates the rows of a university, table by table, each in the order of its key.

use std::fmt::Write as _;

use super::numbers::{self, Kind};
use super::structure::{Department, University};
use super::tables::{self, Table, Value};
use super::texts::{DepartmentTexts, Phrase, Texts};
use super::words::WordList;
use crate::error::Error;
use crate::problem::quoted;

const TELEPHONE: Value = Value::Text("xxx-xxx-xxxx");

/// Receives rows, of one table after the other.
pub trait TakeRows {
    fn row(&mut self, table: Table, values: &[Value]);
}

/// Passes on all rows of a university except those of the table `university`, which several
/// universities share.
pub fn give(
    sink: &mut impl TakeRows,
    university: &University,
    texts: &Texts,
    words: &WordList,
) -> Result<(), Error> {
    let mut giver = Giver {
        sink,
        words,
        university: university.number,
        name: String::new(),
        email: String::new(),
        texts: Default::default(),
    };
    for (department, texts) in university.departments.iter().zip(&texts.departments) {
        giver.department(department);
        giver.faculty(department, texts)?;
        giver.graduates(department, texts);
        giver.courses(department);
        giver.publications(department, texts)?;
        giver.undergraduates(department, texts);
    }
    Ok(())
}

/// Passes on the rows of the table `university`: generated ones have a name, those that are only
/// the origin of degrees have none.
pub fn give_universities(
    sink: &mut impl TakeRows,
    universities: impl IntoIterator<Item = u32>,
    scale_factor: u32,
) {
    for number in universities {
        let name = format!("university{number}");
        let name = if number < scale_factor {
            Value::Text(&name)
        } else {
            Value::Null
        };
        sink.row(Table::University, &[Value::Number(number), name]);
    }
}

struct Giver<'a, S> {
    sink: &'a mut S,
    words: &'a WordList,
    university: u32,
    // Buffers that are reused for every row.
    name: String,
    email: String,
    texts: [String; 2],
}

impl<S: TakeRows> Giver<'_, S> {
    fn department(&mut self, department: &Department) {
        let number = department.number;
        self.name("department", number % 100);
        let university = Value::Number(self.university);
        let row = [Value::Number(number), Value::Text(&self.name), university];
        self.sink.row(Table::Department, &row);
        for index in 0..department.research_groups {
            let group = Value::Number(numbers::research_group(number, index));
            self.sink
                .row(Table::ResearchGroup, &[group, Value::Number(number)]);
        }
    }

    fn faculty(&mut self, department: &Department, texts: &DepartmentTexts) -> Result<(), Error> {
        let place = Value::Number(department.number);
        for member in by_number(department) {
            let person = &department.faculty[member];
            let number = numbers::faculty(department.number, person.kind, person.index);
            self.contact(department, person.kind.name(), person.index);
            let [bachelor, master, doctor] = person.degrees.map(Value::Number);
            let row = [
                Value::Number(number),
                Value::Text(&self.name),
                TELEPHONE,
                Value::Text(&self.email),
                bachelor,
                master,
                doctor,
                place,
            ];
            self.sink.row(Table::Faculty, &row);
            if person.kind.is_professor() {
                // Lecturers are last, so professors have the same index in both lists.
                self.text(0, texts, &texts.interests[member]);
                let row = [
                    Value::Number(number),
                    Value::Text(person.kind.name()),
                    Value::Text(&self.texts[0]),
                    if person.is_head { place } else { Value::Null },
                ];
                fits(Table::Professor, &row)?;
                self.sink.row(Table::Professor, &row);
            } else {
                self.sink.row(Table::Lecturer, &[Value::Number(number)]);
            }
        }
        Ok(())
    }

    fn graduates(&mut self, department: &Department, texts: &DepartmentTexts) {
        let place = department.number;
        for (index, student) in (0..).zip(&department.graduates) {
            let number = numbers::graduate(place, index);
            self.contact(department, "graduateStudent", index);
            let row = [
                Value::Number(number),
                Value::Text(&self.name),
                TELEPHONE,
                Value::Text(&self.email),
                Value::Number(texts.graduate_ages[index as usize]),
                Value::Number(student.undergraduate_degree),
                advisor(place, Some(student.advisor)),
                Value::Number(place),
            ];
            self.sink.row(Table::GraduateStudent, &row);
            for course in sorted(&student.courses) {
                let course = numbers::graduate_course(place, course);
                self.link(Table::GraduateStudentTakeCourse, number, course);
            }
        }
    }

    fn undergraduates(&mut self, department: &Department, texts: &DepartmentTexts) {
        let place = department.number;
        for (index, student) in (0..).zip(&department.undergraduates) {
            let number = numbers::undergraduate(place, index);
            self.contact(department, "undergraduateStudent", index);
            let row = [
                Value::Number(number),
                Value::Text(&self.name),
                TELEPHONE,
                Value::Text(&self.email),
                Value::Number(texts.undergraduate_ages[index as usize]),
                advisor(place, student.advisor),
                Value::Number(place),
            ];
            self.sink.row(Table::UndergraduateStudent, &row);
            for course in sorted(&student.courses) {
                let course = numbers::undergraduate_course(place, course);
                self.link(Table::UndergraduateStudentTakeCourse, number, course);
            }
        }
    }

    fn courses(&mut self, department: &Department) {
        let place = department.number;
        let mut assistants = vec![Value::Null; department.undergraduate_courses.len()];
        for (course, student) in &department.teaching_assistants {
            assistants[*course as usize] = Value::Number(numbers::graduate(place, *student));
        }
        for (index, teacher) in (0..).zip(&department.undergraduate_courses) {
            self.name("undergraduateCourse", index);
            let row = [
                Value::Number(numbers::undergraduate_course(place, index)),
                Value::Text(&self.name),
                Value::Number(faculty(department, *teacher)),
                assistants[index as usize],
            ];
            self.sink.row(Table::UndergraduateCourse, &row);
        }
        for (index, teacher) in (0..).zip(&department.graduate_courses) {
            self.name("graduateCourse", index);
            let row = [
                Value::Number(numbers::graduate_course(place, index)),
                Value::Text(&self.name),
                Value::Number(faculty(department, *teacher)),
            ];
            self.sink.row(Table::GraduateCourse, &row);
        }
    }

    fn publications(
        &mut self,
        department: &Department,
        texts: &DepartmentTexts,
    ) -> Result<(), Error> {
        let numbers: Vec<u32> = department
            .publications
            .iter()
            .map(|it| numbers::publication(faculty(department, it.author), it.index))
            .collect();
        let mut order: Vec<usize> = (0..numbers.len()).collect();
        order.sort_unstable_by_key(|publication| numbers[*publication]);
        for publication in order {
            let index = department.publications[publication].index;
            let (title, summary) = &texts.publications[publication];
            let number = numbers[publication];
            self.name("publication", index);
            self.text(0, texts, title);
            self.text(1, texts, summary);
            let row = [
                Value::Number(number),
                Value::Text(&self.name),
                Value::Text(&self.texts[0]),
                Value::Text(&self.texts[1]),
                Value::Number((number - index) / 100),
            ];
            fits(Table::Publication, &row)?;
            self.sink.row(Table::Publication, &row);
        }
        let mut links: Vec<(u32, u32)> = (0..)
            .zip(&department.graduates)
            .flat_map(|(index, student)| {
                let student_number = numbers::graduate(department.number, index);
                let publications = student.publications.iter();
                publications.map(move |it| (*it, student_number))
            })
            .map(|(publication, student)| (numbers[publication as usize], student))
            .collect();
        links.sort_unstable();
        for (publication, student) in links {
            self.link(Table::CoAuthorOfPublication, publication, student);
        }
        Ok(())
    }

    fn name(&mut self, kind: &str, index: u32) {
        self.name.clear();
        let _ = write!(self.name, "{kind}{index}");
    }

    /// The name and e-mail address of a person.
    fn contact(&mut self, department: &Department, kind: &str, index: u32) {
        self.name(kind, index);
        self.email.clear();
        let (name, university) = (&self.name, self.university);
        let place = department.number % 100;
        let _ = write!(
            self.email,
            "{name}@department{place}.university{university}.edu"
        );
    }

    fn text(&mut self, buffer: usize, texts: &DepartmentTexts, phrase: &Phrase) {
        let words = texts.words(phrase);
        self.words.spell_into(&mut self.texts[buffer], words);
    }

    fn link(&mut self, table: Table, one: u32, other: u32) {
        self.sink
            .row(table, &[Value::Number(one), Value::Number(other)]);
    }
}

/// Fails if a text is longer than its column, which only long words can cause.
fn fits(table: Table, row: &[Value]) -> Result<(), Error> {
    for (column, value) in table.columns().iter().zip(row) {
        if let (tables::Kind::Text(width), Value::Text(text)) = (column.kind, value)
            && text.len() > width
        {
            let (table, name, length) = (table.name(), column.name, text.len());
            let found = format!("a {table}.{name} of {length} characters: {}", quoted(text));
            let expected = format!("words so short that the text has at most {width}");
            return Err(Error::input("--words".to_owned(), found, expected));
        }
    }
    Ok(())
}

fn faculty(department: &Department, member: usize) -> u32 {
    let person = &department.faculty[member];
    numbers::faculty(department.number, person.kind, person.index)
}

/// The faculty in the order of their numbers, which differs from that of the list.
fn by_number(department: &Department) -> Vec<usize> {
    let mut order: Vec<usize> = (0..department.faculty.len()).collect();
    order.sort_unstable_by_key(|member| faculty(department, *member));
    order
}

fn advisor(department: u32, advisor: Option<(Kind, u32)>) -> Value<'static> {
    advisor.map_or(Value::Null, |(kind, index)| {
        Value::Number(numbers::faculty(department, kind, index))
    })
}

fn sorted(list: &[u32]) -> Vec<u32> {
    let mut list = list.to_vec();
    list.sort_unstable();
    list
}
