package serving

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrBusy says that every connection of the pool is in use, and has been for ConnectionWait.
var ErrBusy = errors.New("every connection to the store is in use")

// Pool is connections to the store for which nothing waits longer than ConnectionWait; pgx itself has no such limit.
type Pool struct{ *pgxpool.Pool }

// Connect opens the pool and makes sure that the store answers.
func Connect(settings Settings) (Pool, error) {
	config, err := pgxpool.ParseConfig(settings.StoreURL)
	if err != nil {
		return Pool{}, err
	}
	config.MaxConns = settings.PoolSize
	patience, cancel := context.WithTimeout(context.Background(), ConnectionWait)
	defer cancel()
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return Pool{}, err
	}
	return Pool{pool}, pool.Ping(patience)
}

// Acquire gives a connection of the pool, or ErrBusy.
func (pool Pool) Acquire(ctx context.Context) (*pgxpool.Conn, error) {
	patience, cancel := context.WithTimeout(ctx, ConnectionWait)
	defer cancel()
	connection, err := pool.Pool.Acquire(patience)
	if err != nil && patience.Err() != nil && ctx.Err() == nil {
		return nil, ErrBusy
	}
	return connection, err
}

// Rows gives the rows of a statement.
func Rows[Row any](ctx context.Context, pool Pool, read pgx.RowToFunc[Row], sql string, arguments ...any) ([]Row, error) {
	connection, err := pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer connection.Release()
	found, err := connection.Query(ctx, sql, arguments...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(found, read)
}
