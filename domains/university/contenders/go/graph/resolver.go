// Package graph is the schema: gqlgen makes generated.go and models.go of it when the stack is built.
package graph

import (
	"context"

	"wirelab.example/university/store"
)

// Resolver is where gqlgen finds the resolvers of each type.
type Resolver struct{}

type loadsKey struct{}

// WithLoads gives the loads of one request to its resolvers.
func WithLoads(ctx context.Context, loads *store.Loads) context.Context {
	return context.WithValue(ctx, loadsKey{}, loads)
}

func load(ctx context.Context) *store.Loads { return ctx.Value(loadsKey{}).(*store.Loads) }

// referred follows a reference; nobody is referred to by null.
func referred[Row any](ctx context.Context, by store.Load[int32, *Row], number *int32) (*Row, error) {
	if number == nil {
		return nil, nil
	}
	return by(ctx, *number)
}

// faculty tells professors and lecturers apart.
func faculty(rows []*store.FacultyRow, err error) ([]store.Faculty, error) {
	members := make([]store.Faculty, len(rows))
	for i, row := range rows {
		members[i] = row.Faculty()
	}
	return members, err
}

func member(row *store.FacultyRow, err error) (store.Faculty, error) {
	if row == nil {
		return nil, err
	}
	return row.Faculty(), err
}
