package graph

import (
	"context"

	"wirelab.example/university/store"
)

type (
	graduateCourseResolver      struct{}
	undergraduateCourseResolver struct{}
	publicationResolver         struct{}
)

func (*Resolver) GraduateCourse() GraduateCourseResolver { return graduateCourseResolver{} }
func (*Resolver) UndergraduateCourse() UndergraduateCourseResolver {
	return undergraduateCourseResolver{}
}
func (*Resolver) Publication() PublicationResolver { return publicationResolver{} }

func (graduateCourseResolver) Teachedby(ctx context.Context, row *store.GraduateCourse) (store.Faculty, error) {
	return member(referred(ctx, load(ctx).Faculty, row.TeacherNr))
}

func (graduateCourseResolver) GraduateStudents(ctx context.Context, row *store.GraduateCourse) ([]*store.GraduateStudent, error) {
	return load(ctx).GraduateStudentsTaking(ctx, row.Nr)
}

func (undergraduateCourseResolver) Teachedby(ctx context.Context, row *store.UndergraduateCourse) (store.Faculty, error) {
	return member(referred(ctx, load(ctx).Faculty, row.TeacherNr))
}

func (undergraduateCourseResolver) UndergraduateStudents(ctx context.Context, row *store.UndergraduateCourse) ([]*store.UndergraduateStudent, error) {
	return load(ctx).UndergraduateStudentsTaking(ctx, row.Nr)
}

func (undergraduateCourseResolver) TeachingAssistants(ctx context.Context, row *store.UndergraduateCourse) (*store.GraduateStudent, error) {
	return referred(ctx, load(ctx).GraduateStudent, row.AssistantNr)
}

func (publicationResolver) Authors(ctx context.Context, row *store.Publication) ([]store.Author, error) {
	main, err := referred(ctx, load(ctx).Faculty, row.AuthorNr)
	if err != nil {
		return nil, err
	}
	authors := []store.Author{}
	if main != nil {
		authors = append(authors, main.Faculty().(store.Author))
	}
	others, err := load(ctx).CoAuthorsOf(ctx, row.Nr)
	for _, other := range others {
		authors = append(authors, other)
	}
	return authors, err
}
