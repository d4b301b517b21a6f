package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"wirelab.example/serving"
)

// All is the only key of what is loaded whole.
const All int32 = 0

// numbered is a pointer to a row.
type numbered[Row any] interface {
	*Row
	numbers() *Numbered
}

// source is a table or a join, and the ways to load its rows.
type source[Row any, Pointer numbered[Row]] struct {
	pool    serving.Pool
	columns string
	from    string
	number  string // the column that numbers the rows
}

// through joins a table that refers to the rows.
func (source source[Row, Pointer]) through(link, reference string) source[Row, Pointer] {
	source.from = link + " JOIN " + source.from + " ON " + source.number + " = " + reference
	return source
}

func (source source[Row, Pointer]) rows(ctx context.Context, key, where string, arguments ...any) ([]*Row, error) {
	text := "SELECT " + source.columns + key + " FROM " + source.from + where + " ORDER BY " + source.number
	return serving.Rows(ctx, source.pool, pgx.RowToAddrOfStructByNameLax[Row], text, arguments...)
}

// one loads by the number: the row, or nil.
func (source source[Row, Pointer]) one() Fetch[int32, *Row] {
	return func(ctx context.Context, keys []int32) ([]*Row, error) {
		rows, err := source.rows(ctx, "", " WHERE "+source.number+" = ANY($1)", keys)
		if err != nil {
			return nil, err
		}
		found := make(map[int32]*Row, len(rows))
		for _, row := range rows {
			found[Pointer(row).numbers().Nr] = row
		}
		values := make([]*Row, len(keys))
		for i, key := range keys {
			values[i] = found[key]
		}
		return values, nil
	}
}

// by loads by what a column holds: the rows, in the order of their numbers.
func (source source[Row, Pointer]) by(column string) Fetch[int32, []*Row] {
	return func(ctx context.Context, keys []int32) ([][]*Row, error) {
		rows, err := source.rows(ctx, ", "+column+" AS key", " WHERE "+column+" = ANY($1)", keys)
		return grouped(keys, rows, err, func(row *Row) int32 { return Pointer(row).numbers().Key })
	}
}

// all loads every row.
func (source source[Row, Pointer]) all() Fetch[int32, []*Row] {
	return func(ctx context.Context, keys []int32) ([][]*Row, error) {
		rows, err := source.rows(ctx, "", "")
		return grouped(keys, rows, err, func(*Row) int32 { return All })
	}
}

func grouped[Key comparable, Row any](keys []Key, rows []*Row, err error, keyOf func(*Row) Key) ([][]*Row, error) {
	if err != nil {
		return nil, err
	}
	groups := make(map[Key][]*Row, len(keys))
	for _, row := range rows {
		key := keyOf(row)
		groups[key] = append(groups[key], row)
	}
	values := make([][]*Row, len(keys))
	for i, key := range keys {
		values[i] = groups[key]
		if values[i] == nil {
			values[i] = []*Row{}
		}
	}
	return values, nil
}
