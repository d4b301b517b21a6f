package shop

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// querier is a store or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, arguments ...any) (pgx.Rows, error)
}

// all gives every row; pgx prepares each statement once a connection.
func all[Row any](ctx context.Context, store querier, sql string, arguments ...any) ([]*Row, error) {
	rows, err := store.Query(ctx, sql, arguments...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToAddrOfStructByNameLax[Row])
}

// one gives the only row, or refuses.
func one[Row any](ctx context.Context, store querier, what string, sql string, arguments ...any) (*Row, error) {
	rows, err := store.Query(ctx, sql, arguments...)
	if err != nil {
		return nil, err
	}
	row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByNameLax[Row])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, Refuse(NotFound, "there is no such %s", what)
	}
	return row, err
}

// scalar is the same for a row of one column.
func scalar[Value any](ctx context.Context, store querier, what string, sql string, arguments ...any) (Value, error) {
	rows, err := store.Query(ctx, sql, arguments...)
	if err != nil {
		var none Value
		return none, err
	}
	value, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[Value])
	if errors.Is(err, pgx.ErrNoRows) {
		return value, Refuse(NotFound, "there is no such %s", what)
	}
	return value, err
}

// grouped sorts rows into those of each key, in the order of the keys.
func grouped[Row any](keys []int32, rows []*Row, keyOf func(*Row) int32) [][]*Row {
	groups := make(map[int32][]*Row, len(keys))
	for _, row := range rows {
		groups[keyOf(row)] = append(groups[keyOf(row)], row)
	}
	values := make([][]*Row, len(keys))
	for i, key := range keys {
		values[i] = groups[key]
		if values[i] == nil {
			values[i] = []*Row{}
		}
	}
	return values
}
