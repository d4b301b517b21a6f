package shop

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Store is a pool of connections for which nothing waits longer than connectionWait; the pool itself has no such limit.
type Store struct{ pool *pgxpool.Pool }

func (store *Store) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	patience, cancel := context.WithTimeout(ctx, connectionWait)
	defer cancel()
	connection, err := store.pool.Acquire(patience)
	if err != nil && patience.Err() != nil && ctx.Err() == nil {
		return nil, Refuse(Unavailable, "every connection to the store is in use")
	}
	return connection, err
}

// Query gives rows that return their connection to the pool when they are closed.
func (store *Store) Query(ctx context.Context, sql string, arguments ...any) (pgx.Rows, error) {
	connection, err := store.acquire(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := connection.Query(ctx, sql, arguments...)
	if err != nil {
		connection.Release()
		return nil, err
	}
	return &returning{rows, connection}, nil
}

// Exec carries out a statement that gives no rows.
func (store *Store) Exec(ctx context.Context, sql string, arguments ...any) (pgconn.CommandTag, error) {
	connection, err := store.acquire(ctx)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	defer connection.Release()
	return connection.Exec(ctx, sql, arguments...)
}

// transaction does all of something or nothing.
func (store *Store) transaction(ctx context.Context, work func(pgx.Tx) error) error {
	connection, err := store.acquire(ctx)
	if err != nil {
		return err
	}
	defer connection.Release()
	return pgx.BeginFunc(ctx, connection, work)
}

type returning struct {
	pgx.Rows
	connection *pgxpool.Conn
}

func (it *returning) Close() {
	it.Rows.Close()
	if it.connection != nil {
		it.connection.Release()
		it.connection = nil
	}
}
