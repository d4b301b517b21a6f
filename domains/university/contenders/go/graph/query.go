package graph

import (
	"context"

	"wirelab.example/university/store"
)

type queryResolver struct{}

func (*Resolver) Query() QueryResolver { return queryResolver{} }

// byID gives the row of that number, or nil.
func byID[Row any](ctx context.Context, by store.Load[int32, *Row], id string) (*Row, error) {
	number, ok := parseNumber(id)
	if !ok {
		return nil, nil
	}
	return by(ctx, number)
}

func (queryResolver) Faculty(ctx context.Context, nr string) (store.Faculty, error) {
	lecturer, err := byID(ctx, load(ctx).Lecturer, nr)
	if err != nil {
		return nil, err
	}
	professor, err := byID(ctx, load(ctx).Professor, nr)
	switch {
	case professor != nil:
		return professor, err
	case lecturer != nil:
		return lecturer, err
	}
	return nil, err
}

func (queryResolver) University(ctx context.Context, nr string) (*store.University, error) {
	return byID(ctx, load(ctx).University, nr)
}

func (queryResolver) ResearchGroup(ctx context.Context, nr string) (*store.ResearchGroup, error) {
	return byID(ctx, load(ctx).ResearchGroup, nr)
}

func (queryResolver) Lecturer(ctx context.Context, nr string) (*store.Lecturer, error) {
	return byID(ctx, load(ctx).Lecturer, nr)
}

func (queryResolver) Department(ctx context.Context, nr string) (*store.Department, error) {
	return byID(ctx, load(ctx).Department, nr)
}

func (queryResolver) GraduateStudents(ctx context.Context, where *GraduateStudentWhereInput, limit *int, order []*GraduateStudentField) ([]*store.GraduateStudent, error) {
	students, err := load(ctx).AllGraduateStudents(ctx, store.All)
	if err == nil && where != nil {
		var advisors []*store.Advisor
		if asksForInterest(where) {
			advisors, err = load(ctx).AllAdvisors(ctx, store.All)
		}
		students = filterStudents(students, where, advisors)
	}
	if err != nil {
		return nil, err
	}
	return paged(sortStudents(students, order), limit, nil)
}

func (queryResolver) PublicationSearch(ctx context.Context, field PublicationField, criterion StringCriterion, pattern string) ([]*store.Publication, error) {
	publications, err := load(ctx).AllPublications(ctx, store.All)
	found := []*store.Publication{}
	for _, publication := range publications {
		if matchesText(textOf(publication, field), &criterion, &pattern) {
			found = append(found, publication)
		}
	}
	return found, err
}
