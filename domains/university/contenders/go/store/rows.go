// Package store loads the rows of the university domain from PostgreSQL.
package store

import "strconv"

// Numbered is what all rows have: their number, and the one they were loaded by, if by another.
type Numbered struct {
	Nr  int32
	Key int32
}

// ID is the number as the schema has it.
func (row Numbered) ID() string { return strconv.Itoa(int(row.Nr)) }

func (row *Numbered) numbers() *Numbered { return row }

// Contact is how somebody is reached.
type Contact struct {
	Telephone    *string
	EmailAddress *string
}

type University struct{ Numbered }

type Department struct {
	Numbered
	UniversityNr *int32 `db:"suborganizationof"`
}

type ResearchGroup struct {
	Numbered
	DepartmentNr *int32 `db:"suborganizationof"`
}

// FacultyRow is somebody who teaches; the last three are null for a lecturer.
type FacultyRow struct {
	Numbered
	Contact
	BachelorNr       *int32  `db:"undergraduatedegreefrom"`
	MasterNr         *int32  `db:"masterdegreefrom"`
	DoctorNr         *int32  `db:"doctoraldegreefrom"`
	DepartmentNr     *int32  `db:"worksfor"`
	ProfType         *string `db:"professortype"`
	ResearchInterest *string
}

// Faculty is a professor or a lecturer.
type Faculty interface{ IsFaculty() }

type Professor struct{ FacultyRow }

type Lecturer struct{ FacultyRow }

// Author is whoever can write a publication.
type Author interface{ IsAuthor() }

func (FacultyRow) IsFaculty()     {}
func (FacultyRow) IsAuthor()      {}
func (GraduateStudent) IsAuthor() {}

// Position is the same for all of them.
func (Lecturer) Position() string { return "Lecturer" }

// Faculty tells which of the two somebody is.
func (row *FacultyRow) Faculty() Faculty {
	if row.ProfType == nil {
		return &Lecturer{*row}
	}
	return &Professor{*row}
}

// Advisor is a professor as the filters of students see one.
type Advisor struct {
	Numbered
	ResearchInterest *string
}

type GraduateStudent struct {
	Numbered
	Contact
	Age          *int32
	BachelorNr   *int32 `db:"undergraduatedegreefrom"`
	AdvisorNr    *int32 `db:"advisor"`
	DepartmentNr *int32 `db:"memberof"`
}

type UndergraduateStudent struct {
	Numbered
	Contact
	Age          *int32
	AdvisorNr    *int32 `db:"advisor"`
	DepartmentNr *int32 `db:"memberof"`
}

type GraduateCourse struct {
	Numbered
	TeacherNr *int32 `db:"teacher"`
}

type UndergraduateCourse struct {
	Numbered
	TeacherNr   *int32 `db:"teacher"`
	AssistantNr *int32 `db:"teachingassistant"`
}

type Publication struct {
	Numbered
	Title    *string
	Abstract *string
	AuthorNr *int32 `db:"mainauthor"`
}
