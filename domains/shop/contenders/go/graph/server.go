package graph

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"wirelab.example/shop/shop"
)

const (
	cachedDocuments = 1000
	largestBody     = 1 << 20
	timeoutHeader   = "X-Request-Timeout-Ms"
	gzipLevel       = 5
)

var codes = map[shop.Kind]string{
	shop.NotFound:        "NOT_FOUND",
	shop.Invalid:         "BAD_USER_INPUT",
	shop.Unauthenticated: "UNAUTHENTICATED",
	shop.OutOfStock:      "CONFLICT",
	shop.PaymentRefused:  "CONFLICT",
	shop.Unavailable:     "SERVICE_UNAVAILABLE",
	shop.TooLate:         "DEADLINE_EXCEEDED",
	shop.Internal:        "INTERNAL_SERVER_ERROR",
}

// New gives the schema at /graphql; cached, caches may keep what it says of the catalogue.
func New(it *shop.Shop, loading Loading, compressed, cached bool) http.Handler {
	server := handler.New(NewExecutableSchema(Config{Resolvers: &Resolver{it}}))
	server.AddTransport(transport.Websocket{KeepAlivePingInterval: 10 * time.Second})
	server.AddTransport(transport.POST{})
	server.SetQueryCache(lru.New[*ast.QueryDocument](cachedDocuments))
	server.Use(extension.Introspection{})
	server.SetErrorPresenter(present)
	if cached {
		persist(server)
	}
	server.AroundOperations(func(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
		return next(context.WithValue(ctx, loadersKey{}, newLoaders(it, loading)))
	})
	bounded := http.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, largestBody)
		if left, err := strconv.Atoi(r.Header.Get(timeoutHeader)); err == nil {
			ctx, cancel := context.WithTimeout(r.Context(), time.Duration(left)*time.Millisecond)
			defer cancel()
			r = r.WithContext(ctx)
		}
		server.ServeHTTP(w, r)
	}))
	if compressed {
		bounded = middleware.Compress(gzipLevel, "application/json", "application/graphql-response+json")(bounded)
	}
	if cached {
		bounded = kept(bounded)
	}
	mux := http.NewServeMux()
	mux.Handle("/graphql", bounded)
	return mux
}

// present gives what goes wrong its code; what gqlgen finds wrong itself has one.
func present(ctx context.Context, err error) *gqlerror.Error {
	var known *gqlerror.Error
	if errors.As(err, &known) && known.Err == nil {
		return graphql.DefaultErrorPresenter(ctx, err)
	}
	told := shop.Told(err)
	return &gqlerror.Error{
		Message:    told.Detail,
		Path:       graphql.GetPath(ctx),
		Extensions: map[string]any{"code": codes[told.Kind], "reason": string(told.Kind)},
	}
}
