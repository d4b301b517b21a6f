package store

import (
	"context"

	"wirelab.example/serving"
)

// Within is somebody's doctoral university and department.
type Within struct{ University, Department int32 }

// Loads is every statement the resolvers can send, as they call them: by one key at a time.
type Loads struct {
	University                     Load[int32, *University]
	Department                     Load[int32, *Department]
	DepartmentsOf                  Load[int32, []*Department]
	ResearchGroup                  Load[int32, *ResearchGroup]
	ResearchGroupsOf               Load[int32, []*ResearchGroup]
	Faculty                        Load[int32, *FacultyRow]
	FacultyOf                      Load[int32, []*FacultyRow]
	BachelorsOf                    Load[int32, []*FacultyRow]
	MastersOf                      Load[int32, []*FacultyRow]
	DoctorsOf                      Load[int32, []*FacultyRow]
	DoctorsWithin                  Load[Within, []*FacultyRow]
	Lecturer                       Load[int32, *Lecturer]
	LecturersOf                    Load[int32, []*Lecturer]
	Professor                      Load[int32, *Professor]
	ProfessorsOf                   Load[int32, []*Professor]
	HeadsOf                        Load[int32, []*Professor]
	GraduateStudent                Load[int32, *GraduateStudent]
	GraduateStudentsOf             Load[int32, []*GraduateStudent]
	GraduateStudentsAdvisedBy      Load[int32, []*GraduateStudent]
	GraduatesOf                    Load[int32, []*GraduateStudent]
	GraduateStudentsTaking         Load[int32, []*GraduateStudent]
	CoAuthorsOf                    Load[int32, []*GraduateStudent]
	AllGraduateStudents            Load[int32, []*GraduateStudent]
	AdvisorsOfGraduatesOf          Load[int32, []*Advisor]
	AllAdvisors                    Load[int32, []*Advisor]
	UndergraduateStudentsOf        Load[int32, []*UndergraduateStudent]
	UndergraduateStudentsAdvisedBy Load[int32, []*UndergraduateStudent]
	UndergraduateStudentsTaking    Load[int32, []*UndergraduateStudent]
	GraduateCoursesTaughtBy        Load[int32, []*GraduateCourse]
	GraduateCoursesTakenBy         Load[int32, []*GraduateCourse]
	UndergraduateCoursesTaughtBy   Load[int32, []*UndergraduateCourse]
	UndergraduateCoursesAssistedBy Load[int32, []*UndergraduateCourse]
	UndergraduateCoursesTakenBy    Load[int32, []*UndergraduateCourse]
	PublicationsBy                 Load[int32, []*Publication]
	AllPublications                Load[int32, []*Publication]
}

const (
	personColumns        = "nr, telephone, emailaddress, "
	facultyColumns       = "faculty.nr, telephone, emailaddress, undergraduatedegreefrom, masterdegreefrom, doctoraldegreefrom, worksfor"
	professorColumns     = facultyColumns + ", professortype, researchinterest"
	studentColumns       = personColumns + "age, undergraduatedegreefrom, advisor, memberof"
	undergraduateColumns = personColumns + "age, advisor, memberof"
	assistedColumns      = "nr, teacher, teachingassistant"
)

// NewLoads makes the loads of one request.
func NewLoads(pool serving.Pool, loading Loading) *Loads {
	universities := source[University, *University]{pool, "nr", "university", "nr"}
	departments := source[Department, *Department]{pool, "nr, suborganizationof", "department", "nr"}
	groups := source[ResearchGroup, *ResearchGroup]{pool, "nr, suborganizationof", "researchgroup", "nr"}
	faculty := source[FacultyRow, *FacultyRow]{pool, professorColumns, "faculty LEFT JOIN professor ON professor.nr = faculty.nr", "faculty.nr"}
	lecturers := source[Lecturer, *Lecturer]{pool, facultyColumns, "faculty JOIN lecturer ON lecturer.nr = faculty.nr", "faculty.nr"}
	professors := source[Professor, *Professor]{pool, professorColumns, "faculty JOIN professor ON professor.nr = faculty.nr", "faculty.nr"}
	advisors := source[Advisor, *Advisor]{pool, "professor.nr, researchinterest", "professor", "professor.nr"}
	students := source[GraduateStudent, *GraduateStudent]{pool, studentColumns, "graduatestudent", "nr"}
	undergraduates := source[UndergraduateStudent, *UndergraduateStudent]{pool, undergraduateColumns, "undergraduatestudent", "nr"}
	courses := source[GraduateCourse, *GraduateCourse]{pool, "nr, teacher", "graduatecourse", "nr"}
	assisted := source[UndergraduateCourse, *UndergraduateCourse]{pool, assistedColumns, "undergraduatecourse", "nr"}
	publications := source[Publication, *Publication]{pool, "nr, title, abstract, mainauthor", "publication", "nr"}

	return &Loads{
		University:       loadBy(loading, universities.one()),
		Department:       loadBy(loading, departments.one()),
		DepartmentsOf:    loadBy(loading, departments.by("suborganizationof")),
		ResearchGroup:    loadBy(loading, groups.one()),
		ResearchGroupsOf: loadBy(loading, groups.by("suborganizationof")),

		Faculty:       loadBy(loading, faculty.one()),
		FacultyOf:     loadBy(loading, faculty.by("worksfor")),
		BachelorsOf:   loadBy(loading, faculty.by("undergraduatedegreefrom")),
		MastersOf:     loadBy(loading, faculty.by("masterdegreefrom")),
		DoctorsOf:     loadBy(loading, faculty.by("doctoraldegreefrom")),
		DoctorsWithin: loadBy(loading, within(faculty)),
		Lecturer:      loadBy(loading, lecturers.one()),
		LecturersOf:   loadBy(loading, lecturers.by("worksfor")),
		Professor:     loadBy(loading, professors.one()),
		ProfessorsOf:  loadBy(loading, professors.by("worksfor")),
		HeadsOf:       loadBy(loading, professors.by("headof")),

		GraduateStudent:           loadBy(loading, students.one()),
		GraduateStudentsOf:        loadBy(loading, students.by("memberof")),
		GraduateStudentsAdvisedBy: loadBy(loading, students.by("advisor")),
		GraduatesOf:               loadBy(loading, students.by("undergraduatedegreefrom")),
		GraduateStudentsTaking:    loadBy(loading, students.through("graduatestudenttakecourse", "graduatestudentid").by("graduatecourseid")),
		CoAuthorsOf:               loadBy(loading, students.through("coauthorofpublication", "graduatestudentid").by("publicationid")),
		AllGraduateStudents:       loadBy(loading, students.all()),
		AdvisorsOfGraduatesOf:     loadBy(loading, advisors.through("graduatestudent", "graduatestudent.advisor").by("undergraduatedegreefrom")),
		AllAdvisors:               loadBy(loading, advisors.all()),

		UndergraduateStudentsOf:        loadBy(loading, undergraduates.by("memberof")),
		UndergraduateStudentsAdvisedBy: loadBy(loading, undergraduates.by("advisor")),
		UndergraduateStudentsTaking:    loadBy(loading, undergraduates.through("undergraduatestudenttakecourse", "undergraduatestudentid").by("undergraduatecourseid")),

		GraduateCoursesTaughtBy:        loadBy(loading, courses.by("teacher")),
		GraduateCoursesTakenBy:         loadBy(loading, courses.through("graduatestudenttakecourse", "graduatecourseid").by("graduatestudentid")),
		UndergraduateCoursesTaughtBy:   loadBy(loading, assisted.by("teacher")),
		UndergraduateCoursesAssistedBy: loadBy(loading, assisted.by("teachingassistant")),
		UndergraduateCoursesTakenBy:    loadBy(loading, assisted.through("undergraduatestudenttakecourse", "undergraduatecourseid").by("undergraduatestudentid")),

		PublicationsBy:  loadBy(loading, publications.by("mainauthor")),
		AllPublications: loadBy(loading, publications.all()),
	}
}

func within(faculty source[FacultyRow, *FacultyRow]) Fetch[Within, []*FacultyRow] {
	return func(ctx context.Context, keys []Within) ([][]*FacultyRow, error) {
		var universities, departments []int32
		for _, key := range keys {
			universities = append(universities, key.University)
			departments = append(departments, key.Department)
		}
		where := " WHERE (doctoraldegreefrom, worksfor) IN (SELECT * FROM unnest($1::int[], $2::int[]))"
		rows, err := faculty.rows(ctx, "", where, universities, departments)
		return grouped(keys, rows, err, func(row *FacultyRow) Within { return Within{*row.DoctorNr, *row.DepartmentNr} })
	}
}
