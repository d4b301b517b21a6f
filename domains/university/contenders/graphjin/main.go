// The university domain served by GraphJin, which makes its schema of the tables.
package main

import (
	"database/sql"
	"fmt"
	"os"

	"github.com/dosco/graphjin/core/v3"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"wirelab.example/serving"
)

// allRows stands where a list has no limit of its own; GraphJin's default is 20 rows.
const allRows = 100_000_000

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve() error {
	settings, err := serving.ReadSettings()
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

	return serving.Serve(settings.Address, handler{graph})
}

// connect opens the pool and makes sure that the store answers.
func connect(settings serving.Settings) (*sql.DB, error) {
	config, err := pgx.ParseConfig(settings.StoreURL)
	if err != nil {
		return nil, err
	}
	config.ConnectTimeout = serving.ConnectTimeout
	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(int(settings.PoolSize))
	pool.SetMaxIdleConns(int(settings.PoolSize)) // two is the default: the others would come and go
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
