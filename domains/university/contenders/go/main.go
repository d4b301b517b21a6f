// The university domain served by gqlgen and pgx.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"wirelab.example/university/graph"
	"wirelab.example/university/store"
)

const (
	connectTimeout  = 5 * time.Second
	keepAlive       = 75 * time.Second
	grace           = 500 * time.Millisecond
	largestBody     = 1 << 20
	cachedDocuments = 1000
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

	queries := queryHandler()
	mux := http.NewServeMux()
	mux.HandleFunc("/graphql", func(reply http.ResponseWriter, request *http.Request) {
		request.Body = http.MaxBytesReader(reply, request.Body, largestBody)
		loads := store.NewLoads(pool, settings.loading)
		queries.ServeHTTP(reply, request.WithContext(graph.WithLoads(request.Context(), loads)))
	})
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
func connect(settings settings) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(settings.storeURL)
	if err != nil {
		return nil, err
	}
	config.MaxConns = settings.poolSize
	patience, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, err
	}
	return pool, pool.Ping(patience)
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
	log.Print(err)
	return &gqlerror.Error{
		Message:    "internal server error",
		Path:       graphql.GetPath(ctx),
		Extensions: map[string]any{"code": "INTERNAL_SERVER_ERROR"},
	}
}
