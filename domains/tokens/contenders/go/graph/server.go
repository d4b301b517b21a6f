// Package graph sends items as results of a GraphQL subscription, by events and over a WebSocket.
package graph

import (
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"wirelab.example/tokens/tokens"
)

const cachedDocuments = 1000

// New gives the schema at /graphql.
func New() http.Handler {
	server := handler.New(NewExecutableSchema(Config{Resolvers: &Resolver{}}))
	server.AddTransport(transport.Websocket{})
	server.AddTransport(transport.SSE{})
	server.AddTransport(transport.POST{})
	server.SetQueryCache(lru.New[*ast.QueryDocument](cachedDocuments))
	server.Use(extension.Introspection{})
	mux := http.NewServeMux()
	mux.Handle("/graphql", server)
	return mux
}

// Resolver needs nothing.
type Resolver struct{}

// Query gives the resolvers of queries.
func (it *Resolver) Query() QueryResolver { return it }

// Subscription gives the resolvers of subscriptions.
func (it *Resolver) Subscription() SubscriptionResolver { return it }

// Ping is the control.
func (it *Resolver) Ping(context.Context) (string, error) { return "ok", nil }

// Items gives the items of a prompt, each when it is due.
func (it *Resolver) Items(ctx context.Context, seed, count, rate int32) (<-chan *tokens.Item, error) {
	asked := tokens.Prompt{Seed: seed, Count: count, Rate: rate}
	if err := asked.Check(); err != nil {
		return nil, &gqlerror.Error{Message: err.Error(), Extensions: map[string]any{"code": "BAD_USER_INPUT"}}
	}
	items := make(chan *tokens.Item)
	go func() {
		defer close(items)
		_ = asked.Send(ctx, func(item tokens.Item) error { // an error is that the client has left
			select {
			case items <- &item:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	return items, nil
}
