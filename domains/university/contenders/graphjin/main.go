// The university domain served by GraphJin, which makes its schema of the tables.
package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"os"

	"github.com/dosco/graphjin/core/v3"
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

// connector gives GraphJin, which wants a pool of database/sql, the connections of ours.
type connector struct {
	driver.Connector
}

func (it connector) Connect(ctx context.Context) (driver.Conn, error) {
	patience, cancel := context.WithTimeout(ctx, serving.ConnectionWait)
	defer cancel()
	connection, err := it.Connector.Connect(patience)
	if err != nil && patience.Err() != nil && ctx.Err() == nil {
		return nil, serving.ErrBusy
	}
	return connection, err
}

func connect(settings serving.Settings) (*sql.DB, error) {
	pool, err := serving.Connect(settings)
	if err != nil {
		return nil, err
	}
	connections := sql.OpenDB(connector{stdlib.GetPoolConnector(pool.Pool)})
	connections.SetMaxIdleConns(0) // those that are not in use are in our pool
	return connections, nil
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
