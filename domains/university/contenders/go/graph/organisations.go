package graph

import (
	"context"

	"wirelab.example/university/store"
)

type (
	universityResolver    struct{}
	departmentResolver    struct{}
	researchGroupResolver struct{}
)

func (*Resolver) University() UniversityResolver       { return universityResolver{} }
func (*Resolver) Department() DepartmentResolver       { return departmentResolver{} }
func (*Resolver) ResearchGroup() ResearchGroupResolver { return researchGroupResolver{} }

func (universityResolver) UndergraduateDegreeObtainedByFaculty(ctx context.Context, row *store.University) ([]store.Faculty, error) {
	return faculty(load(ctx).BachelorsOf(ctx, row.Nr))
}

func (universityResolver) MastergraduateDegreeObtainers(ctx context.Context, row *store.University) ([]store.Faculty, error) {
	return faculty(load(ctx).MastersOf(ctx, row.Nr))
}

func (universityResolver) DoctoralDegreeObtainers(ctx context.Context, row *store.University, where *FacultyWhereInput) ([]store.Faculty, error) {
	if where == nil || where.WorksFor == nil || where.WorksFor.Nr == nil {
		return faculty(load(ctx).DoctorsOf(ctx, row.Nr))
	}
	department, ok := parseNumber(*where.WorksFor.Nr)
	if !ok {
		return []store.Faculty{}, nil
	}
	return faculty(load(ctx).DoctorsWithin(ctx, store.Within{University: row.Nr, Department: department}))
}

func (universityResolver) UndergraduateDegreeObtainedBystudent(ctx context.Context, row *store.University, where *GraduateStudentWhereInput, limit, offset *int) ([]*store.GraduateStudent, error) {
	students, err := load(ctx).GraduatesOf(ctx, row.Nr)
	if err == nil && where != nil {
		var advisors []*store.Advisor
		if asksForInterest(where) {
			advisors, err = load(ctx).AdvisorsOfGraduatesOf(ctx, row.Nr)
		}
		students = filterStudents(students, where, advisors)
	}
	if err != nil {
		return nil, err
	}
	return paged(students, limit, offset)
}

func (universityResolver) Departments(ctx context.Context, row *store.University) ([]*store.Department, error) {
	return load(ctx).DepartmentsOf(ctx, row.Nr)
}

func (universityResolver) GraduateStudentConnection(ctx context.Context, row *store.University) (*store.CollectionOfEdgesToUgStudents, error) {
	students, err := load(ctx).GraduatesOf(ctx, row.Nr)
	return &store.CollectionOfEdgesToUgStudents{Aggregate: store.AggregateUgStudents{Students: students}}, err
}

func (departmentResolver) SubOrganizationOf(ctx context.Context, row *store.Department) (*store.University, error) {
	return referred(ctx, load(ctx).University, row.UniversityNr)
}

func (departmentResolver) Head(ctx context.Context, row *store.Department) (*store.Professor, error) {
	heads, err := load(ctx).HeadsOf(ctx, row.Nr)
	if len(heads) == 0 {
		return nil, err
	}
	return heads[0], err
}

func (departmentResolver) ResearchGroups(ctx context.Context, row *store.Department) ([]*store.ResearchGroup, error) {
	return load(ctx).ResearchGroupsOf(ctx, row.Nr)
}

func (departmentResolver) Professors(ctx context.Context, row *store.Department) ([]*store.Professor, error) {
	return load(ctx).ProfessorsOf(ctx, row.Nr)
}

func (departmentResolver) Lecturers(ctx context.Context, row *store.Department) ([]*store.Lecturer, error) {
	return load(ctx).LecturersOf(ctx, row.Nr)
}

func (departmentResolver) GraduateStudents(ctx context.Context, row *store.Department) ([]*store.GraduateStudent, error) {
	return load(ctx).GraduateStudentsOf(ctx, row.Nr)
}

func (departmentResolver) UndergraduateStudents(ctx context.Context, row *store.Department) ([]*store.UndergraduateStudent, error) {
	return load(ctx).UndergraduateStudentsOf(ctx, row.Nr)
}

func (departmentResolver) Faculties(ctx context.Context, row *store.Department) ([]store.Faculty, error) {
	return faculty(load(ctx).FacultyOf(ctx, row.Nr))
}

func (researchGroupResolver) SubOrganizationOf(ctx context.Context, row *store.ResearchGroup) (*store.Department, error) {
	return referred(ctx, load(ctx).Department, row.DepartmentNr)
}
