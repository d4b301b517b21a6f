package graph

import (
	"context"

	"wirelab.example/university/store"
)

type (
	professorResolver            struct{}
	lecturerResolver             struct{}
	graduateStudentResolver      struct{}
	undergraduateStudentResolver struct{}
)

func (*Resolver) Professor() ProfessorResolver             { return professorResolver{} }
func (*Resolver) Lecturer() LecturerResolver               { return lecturerResolver{} }
func (*Resolver) GraduateStudent() GraduateStudentResolver { return graduateStudentResolver{} }
func (*Resolver) UndergraduateStudent() UndergraduateStudentResolver {
	return undergraduateStudentResolver{}
}

func (professorResolver) UndergraduateDegreeFrom(ctx context.Context, row *store.Professor) (*store.University, error) {
	return referred(ctx, load(ctx).University, row.BachelorNr)
}

func (professorResolver) MasterDegreeFrom(ctx context.Context, row *store.Professor) (*store.University, error) {
	return referred(ctx, load(ctx).University, row.MasterNr)
}

func (professorResolver) DoctoralDegreeFrom(ctx context.Context, row *store.Professor) (*store.University, error) {
	return referred(ctx, load(ctx).University, row.DoctorNr)
}

func (professorResolver) WorksFor(ctx context.Context, row *store.Professor) (*store.Department, error) {
	return referred(ctx, load(ctx).Department, row.DepartmentNr)
}

func (professorResolver) TeacherOfGraduateCourses(ctx context.Context, row *store.Professor) ([]*store.GraduateCourse, error) {
	return load(ctx).GraduateCoursesTaughtBy(ctx, row.Nr)
}

func (professorResolver) TeacherOfUndergraduateCourses(ctx context.Context, row *store.Professor) ([]*store.UndergraduateCourse, error) {
	return load(ctx).UndergraduateCoursesTaughtBy(ctx, row.Nr)
}

func (professorResolver) Publications(ctx context.Context, row *store.Professor, order *PublicationSortCriterion) ([]*store.Publication, error) {
	publications, err := load(ctx).PublicationsBy(ctx, row.Nr)
	return sortPublications(publications, order), err
}

func (professorResolver) SupervisedUndergraduateStudents(ctx context.Context, row *store.Professor) ([]*store.UndergraduateStudent, error) {
	return load(ctx).UndergraduateStudentsAdvisedBy(ctx, row.Nr)
}

func (professorResolver) SupervisedGraduateStudents(ctx context.Context, row *store.Professor) ([]*store.GraduateStudent, error) {
	return load(ctx).GraduateStudentsAdvisedBy(ctx, row.Nr)
}

func (lecturerResolver) UndergraduateDegreeFrom(ctx context.Context, row *store.Lecturer) (*store.University, error) {
	return referred(ctx, load(ctx).University, row.BachelorNr)
}

func (lecturerResolver) MasterDegreeFrom(ctx context.Context, row *store.Lecturer) (*store.University, error) {
	return referred(ctx, load(ctx).University, row.MasterNr)
}

func (lecturerResolver) DoctoralDegreeFrom(ctx context.Context, row *store.Lecturer) (*store.University, error) {
	return referred(ctx, load(ctx).University, row.DoctorNr)
}

func (lecturerResolver) WorksFor(ctx context.Context, row *store.Lecturer) (*store.Department, error) {
	return referred(ctx, load(ctx).Department, row.DepartmentNr)
}

func (lecturerResolver) TeacherOfGraduateCourses(ctx context.Context, row *store.Lecturer) ([]*store.GraduateCourse, error) {
	return load(ctx).GraduateCoursesTaughtBy(ctx, row.Nr)
}

func (lecturerResolver) TeacherOfUndergraduateCourses(ctx context.Context, row *store.Lecturer) ([]*store.UndergraduateCourse, error) {
	return load(ctx).UndergraduateCoursesTaughtBy(ctx, row.Nr)
}

func (lecturerResolver) Publications(ctx context.Context, row *store.Lecturer) ([]*store.Publication, error) {
	return load(ctx).PublicationsBy(ctx, row.Nr)
}

func (graduateStudentResolver) MemberOf(ctx context.Context, row *store.GraduateStudent) (*store.Department, error) {
	return referred(ctx, load(ctx).Department, row.DepartmentNr)
}

func (graduateStudentResolver) UndergraduateDegreeFrom(ctx context.Context, row *store.GraduateStudent) (*store.University, error) {
	return referred(ctx, load(ctx).University, row.BachelorNr)
}

func (graduateStudentResolver) Advisor(ctx context.Context, row *store.GraduateStudent) (*store.Professor, error) {
	return referred(ctx, load(ctx).Professor, row.AdvisorNr)
}

func (graduateStudentResolver) TakeGraduateCourses(ctx context.Context, row *store.GraduateStudent) ([]*store.GraduateCourse, error) {
	return load(ctx).GraduateCoursesTakenBy(ctx, row.Nr)
}

func (graduateStudentResolver) AssistCourses(ctx context.Context, row *store.GraduateStudent) ([]*store.UndergraduateCourse, error) {
	return load(ctx).UndergraduateCoursesAssistedBy(ctx, row.Nr)
}

func (undergraduateStudentResolver) MemberOf(ctx context.Context, row *store.UndergraduateStudent) (*store.Department, error) {
	return referred(ctx, load(ctx).Department, row.DepartmentNr)
}

func (undergraduateStudentResolver) Advisor(ctx context.Context, row *store.UndergraduateStudent) (*store.Professor, error) {
	return referred(ctx, load(ctx).Professor, row.AdvisorNr)
}

func (undergraduateStudentResolver) TakeCourses(ctx context.Context, row *store.UndergraduateStudent) ([]*store.UndergraduateCourse, error) {
	return load(ctx).UndergraduateCoursesTakenBy(ctx, row.Nr)
}
