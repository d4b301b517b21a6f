// The university domain served by gqlgen and pgx.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"wirelab.example/serving"
	"wirelab.example/university/graph"
	"wirelab.example/university/store"
)

const cachedDocuments = 1000

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve() error {
	var loading store.Loading
	settings, err := serving.ReadSettings(func(check serving.Check) {
		loading = store.Loading(os.Getenv("UNIVERSITY_LOADING"))
		known := loading == store.Naive || loading == store.BatchingCaching
		check(known, "UNIVERSITY_LOADING", "naive or batching-caching")
	})
	if err != nil {
		return err
	}
	pool, err := serving.Connect(settings)
	if err != nil {
		return err
	}

	queries := queryHandler()
	return serving.Serve(settings.Address, http.HandlerFunc(func(reply http.ResponseWriter, request *http.Request) {
		request.Body = http.MaxBytesReader(reply, request.Body, serving.LargestBody)
		loads := store.NewLoads(pool, loading)
		queries.ServeHTTP(reply, request.WithContext(graph.WithLoads(request.Context(), loads)))
	}))
}

func queryHandler() *handler.Server {
	server := handler.New(graph.NewExecutableSchema(graph.Config{Resolvers: &graph.Resolver{}}))
	server.AddTransport(transport.POST{})
	server.SetQueryCache(lru.New[*ast.QueryDocument](cachedDocuments))
	server.Use(extension.Introspection{})
	server.SetErrorPresenter(withoutDetails)
	return server
}

// withoutDetails writes what goes wrong inside to the log, and does not tell clients.
func withoutDetails(ctx context.Context, err error) *gqlerror.Error {
	var told *gqlerror.Error
	if errors.As(err, &told) && told.Err == nil {
		return graphql.DefaultErrorPresenter(ctx, err)
	}
	message, code := err.Error(), "SERVICE_UNAVAILABLE"
	if !errors.Is(err, serving.ErrBusy) {
		log.Print(err)
		message, code = "internal server error", "INTERNAL_SERVER_ERROR"
	}
	return &gqlerror.Error{
		Message:    message,
		Path:       graphql.GetPath(ctx),
		Extensions: map[string]any{"code": code},
	}
}
