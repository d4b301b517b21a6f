//! Writes universities as RDF.
//!
//! In addition to the properties of the original, there are `nr`, `age`, `title`, `abstract` and
//! `interest` (`researchInterest` of the relational form), without which most query templates
//! cannot be answered.

use std::io;

use super::numbers;
use super::structure::{Department, University};
use super::texts::{DepartmentTexts, Phrase, Texts};
use super::triples::{Object, Triples};
use super::words::WordList;

const TELEPHONE: Object = Object::Text("xxx-xxx-xxxx");

/// Writes all triples of a university.
pub fn describe(
    triples: &mut Triples,
    university: &University,
    texts: &Texts,
    words: &WordList,
) -> io::Result<()> {
    let number = university.number;
    name_university(triples, number)?;
    let name = format!("university{number}");
    triples.property(&university_iri(number), "name", Object::Text(&name))?;
    for (department, texts) in university.departments.iter().zip(&texts.departments) {
        let host = format!("department{}.{name}.edu", department.number % 100);
        let mut writer = DepartmentWriter {
            triples: &mut *triples,
            words,
            department,
            texts,
            iri: format!("http://www.{host}"),
            host,
            subject: String::new(),
        };
        writer.department(number)?;
        writer.faculty()?;
        writer.undergraduates()?;
        writer.graduates()?;
        writer.research_groups()?;
        writer.publications()?;
        writer.courses()?;
    }
    Ok(())
}

/// Writes that a university exists: the only triple of one that is only the origin of degrees.
pub fn name_university(triples: &mut Triples, number: u32) -> io::Result<()> {
    let iri = university_iri(number);
    triples.class(&iri, "university")?;
    triples.property(&iri, "nr", Object::Number(number))
}

fn university_iri(number: u32) -> String {
    format!("http://www.university{number}.edu")
}

/// Writes all triples of a department, one subject after the other.
struct DepartmentWriter<'a> {
    triples: &'a mut Triples,
    words: &'a WordList,
    department: &'a Department,
    texts: &'a DepartmentTexts,
    host: String,
    iri: String,
    subject: String,
}

impl DepartmentWriter<'_> {
    fn department(&mut self, university: u32) -> io::Result<()> {
        let name = format!("department{}", self.department.number % 100);
        self.subject.clone_from(&self.iri);
        self.introduce("department", self.department.number, Some(&name))?;
        self.says(
            "subOrganizationOf",
            Object::Iri(&university_iri(university)),
        )
    }

    fn faculty(&mut self) -> io::Result<()> {
        let department = self.department;
        for (index, member) in department.faculty.iter().enumerate() {
            let number = numbers::faculty(department.number, member.kind, member.index);
            self.person(member.kind.name(), member.index, number)?;
            for (kind, teachers) in [
                ("undergraduateCourse", &department.undergraduate_courses),
                ("graduateCourse", &department.graduate_courses),
            ] {
                for (course, _) in (0..).zip(teachers).filter(|(_, it)| **it == index) {
                    self.refers("teacherOf", kind, course)?;
                }
            }
            let degrees = [
                "undergraduateDegreeFrom",
                "masterDegreeFrom",
                "doctoralDegreeFrom",
            ];
            for (property, university) in degrees.into_iter().zip(member.degrees) {
                self.says(property, Object::Iri(&university_iri(university)))?;
            }
            self.belongs("worksFor")?;
            if let Some(area) = member.research_area {
                let area = format!("research{area}");
                self.says("researchInterest", Object::Text(&area))?;
                // Lecturers are last, so professors have the same index in both lists.
                let interest = self.spelled(&self.texts.interests[index]);
                self.says("interest", Object::Text(&interest))?;
            }
            if member.is_head {
                self.belongs("headOf")?;
            }
        }
        Ok(())
    }

    fn undergraduates(&mut self) -> io::Result<()> {
        let department = self.department;
        for (index, student) in (0..).zip(&department.undergraduates) {
            let number = numbers::undergraduate(department.number, index);
            self.person("undergraduateStudent", index, number)?;
            self.belongs("memberOf")?;
            let age = self.texts.undergraduate_ages[index as usize];
            self.says("age", Object::Number(age))?;
            for course in &student.courses {
                self.refers("takesCourse", "undergraduateCourse", *course)?;
            }
            if let Some((kind, index)) = student.advisor {
                self.refers("advisor", kind.name(), index)?;
            }
        }
        Ok(())
    }

    fn graduates(&mut self) -> io::Result<()> {
        let department = self.department;
        for (index, student) in (0..).zip(&department.graduates) {
            let number = numbers::graduate(department.number, index);
            self.person("graduateStudent", index, number)?;
            self.belongs("memberOf")?;
            let age = self.texts.graduate_ages[index as usize];
            self.says("age", Object::Number(age))?;
            for course in &student.courses {
                self.refers("takesCourse", "graduateCourse", *course)?;
            }
            let university = university_iri(student.undergraduate_degree);
            self.says("undergraduateDegreeFrom", Object::Iri(&university))?;
            let (kind, advisor) = student.advisor;
            self.refers("advisor", kind.name(), advisor)?;
            let assisted = department
                .teaching_assistants
                .iter()
                .find(|it| it.1 == index);
            if let Some((course, _)) = assisted {
                self.triples.class(&self.subject, "teachingAssistant")?;
                self.refers("teachingAssistantOf", "undergraduateCourse", *course)?;
            }
            if department.research_assistants.contains(&index) {
                self.triples.class(&self.subject, "researchAssistant")?;
            }
        }
        Ok(())
    }

    fn research_groups(&mut self) -> io::Result<()> {
        for index in 0..self.department.research_groups {
            self.turn_to("researchGroup", index);
            let number = numbers::research_group(self.department.number, index);
            self.introduce("researchGroup", number, None)?;
            self.belongs("subOrganizationOf")?;
        }
        Ok(())
    }

    fn publications(&mut self) -> io::Result<()> {
        let department = self.department;
        let mut co_authors = vec![Vec::new(); department.publications.len()];
        for (index, student) in (0..).zip(&department.graduates) {
            for publication in &student.publications {
                co_authors[*publication as usize].push(index);
            }
        }
        for (index, publication) in department.publications.iter().enumerate() {
            let author = &department.faculty[publication.author];
            let number = numbers::faculty(department.number, author.kind, author.index);
            let name = format!("publication{}", publication.index);
            self.turn_to(author.kind.name(), author.index);
            let author_iri = self.subject.clone();
            self.subject = format!("{author_iri}/{name}");
            let number = numbers::publication(number, publication.index);
            self.introduce("publication", number, Some(&name))?;
            let (title, summary) = &self.texts.publications[index];
            let (title, summary) = (self.spelled(title), self.spelled(summary));
            self.says("title", Object::Text(&title))?;
            self.says("abstract", Object::Text(&summary))?;
            self.says("publicationAuthor", Object::Iri(&author_iri))?;
            for student in &co_authors[index] {
                self.refers("publicationAuthor", "graduateStudent", *student)?;
            }
        }
        Ok(())
    }

    fn courses(&mut self) -> io::Result<()> {
        let department = self.department;
        for (index, _) in (0..).zip(&department.undergraduate_courses) {
            let number = numbers::undergraduate_course(department.number, index);
            self.named("undergraduateCourse", index, number)?;
        }
        for (index, _) in (0..).zip(&department.graduate_courses) {
            let number = numbers::graduate_course(department.number, index);
            self.named("graduateCourse", index, number)?;
        }
        Ok(())
    }

    /// Sets the subject.
    fn turn_to(&mut self, kind: &str, index: u32) {
        self.subject = format!("{}/{kind}{index}", self.iri);
    }

    fn introduce(&mut self, class: &str, number: u32, name: Option<&str>) -> io::Result<()> {
        self.triples.class(&self.subject, class)?;
        self.says("nr", Object::Number(number))?;
        name.map_or(Ok(()), |name| self.says("name", Object::Text(name)))
    }

    fn named(&mut self, kind: &str, index: u32, number: u32) -> io::Result<()> {
        self.turn_to(kind, index);
        self.introduce(kind, number, Some(&format!("{kind}{index}")))
    }

    fn person(&mut self, kind: &str, index: u32, number: u32) -> io::Result<()> {
        self.named(kind, index, number)?;
        let email = format!("{kind}{index}@{}", self.host);
        self.says("emailAddress", Object::Text(&email))?;
        self.says("telephone", TELEPHONE)
    }

    fn says(&mut self, property: &str, object: Object) -> io::Result<()> {
        self.triples.property(&self.subject, property, object)
    }

    fn belongs(&mut self, property: &str) -> io::Result<()> {
        self.triples
            .property(&self.subject, property, Object::Iri(&self.iri))
    }

    fn refers(&mut self, property: &str, kind: &str, index: u32) -> io::Result<()> {
        let object = format!("{}/{kind}{index}", self.iri);
        self.says(property, Object::Iri(&object))
    }

    fn spelled(&self, phrase: &Phrase) -> String {
        self.words.spell(self.texts.words(phrase))
    }
}
