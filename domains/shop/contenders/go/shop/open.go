package shop

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// connectionWait is how long the store may take to answer at the start, and how long a statement waits for a
// connection of the pool.
const connectionWait = 5 * time.Second

// Peers are the other services, nil where this program is them.
type Peers struct {
	Users     UserService
	Catalogue CatalogueService
}

// Open gives the services that a role names ("all" of them, or one) over a store with so many
// connections; peers are asked for what the role has not.
func Open(ctx context.Context, role, url string, connections int32, peers Peers) (*Shop, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns = connections
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	patience, cancel := context.WithTimeout(ctx, connectionWait)
	defer cancel()
	if err := pool.Ping(patience); err != nil {
		return nil, err
	}
	store := &Store{pool}
	shop := &Shop{AnyUsers: peers.Users, AnyCatalogue: peers.Catalogue}
	if role == "all" || role == "users" {
		shop.Users = &Users{store}
		shop.AnyUsers = shop.Users
	}
	if role == "all" || role == "catalogue" {
		shop.Catalogue = &Catalogue{store: store, users: shop.AnyUsers}
		shop.AnyCatalogue = shop.Catalogue
	}
	if role == "all" || role == "orders" {
		shop.Orders = &Orders{store, shop.AnyUsers, shop.AnyCatalogue, role == "all"}
	}
	if role == "orders" {
		go shop.Orders.Settle(ctx)
	}
	return shop, nil
}
