// The university domain served by GraphJin, which makes its schema of the tables.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/dosco/graphjin/core/v3"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	connectTimeout = 5 * time.Second
	keepAlive      = 75 * time.Second
	grace          = 500 * time.Millisecond
	// allRows stands where a list has no limit of its own; GraphJin's default is 20 rows.
	allRows = 100_000_000
)

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve() error {
	settings, err := readSettings()
	if err != nil {
		return err
	}
	pool, err := connect(settings)
	if err != nil {
		return err
	}
	graph, err := core.NewGraphJinWithFS(configuration(), pool, nowhere{})
	if err != nil {
		return err
	}

	mux := http.NewServeMux()
	mux.Handle("/graphql", handler{graph})
	listener, err := net.Listen("tcp", settings.address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: mux, IdleTimeout: keepAlive, ReadHeaderTimeout: connectTimeout}

	ended, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ended.Done():
	}
	patience, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := server.Shutdown(patience); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return server.Close()
}

// connect opens the pool and makes sure that the store answers.
func connect(settings settings) (*sql.DB, error) {
	config, err := pgx.ParseConfig(settings.storeURL)
	if err != nil {
		return nil, err
	}
	config.ConnectTimeout = connectTimeout
	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(settings.poolSize)
	pool.SetMaxIdleConns(settings.poolSize) // two is the default: the others would come and go
	return pool, pool.Ping()
}

// configuration takes any query, as the other servers do: with the list of those that are allowed
// only what was known beforehand is answered.
func configuration() *core.Config {
	return &core.Config{
		Production:          true,
		DisableProdSecurity: true,
		DisableAllowList:    true,
		DefaultLimit:        allRows,
		Tables:              orders(),
	}
}

// nowhere is a file system without files: GraphJin keeps its list of queries in one.
type nowhere struct{}

func (nowhere) Get(path string) ([]byte, error) { return nil, fmt.Errorf("no file %s", path) }
func (nowhere) Put(path string, _ []byte) error { return fmt.Errorf("no place for %s", path) }
func (nowhere) Exists(string) (bool, error)     { return false, nil }
