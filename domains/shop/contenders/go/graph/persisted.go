package graph

import (
	"bytes"
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/vektah/gqlparser/v2/ast"

	"wirelab.example/shop/caching"
)

// public are the queries that everybody gets the same answer to.
var public = map[string]bool{"products": true, "productsById": true, "product": true, "review": true}

type publicKey struct{}

// persist lets queries come as GET with the hash of a document that has come before.
func persist(server *handler.Server) {
	server.AddTransport(transport.GET{})
	server.Use(extension.AutomaticPersistedQuery{Cache: lru.New[string](cachedDocuments)})
	server.AroundOperations(func(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
		if isPublic, found := ctx.Value(publicKey{}).(*bool); found {
			*isPublic = onlyPublic(graphql.GetOperationContext(ctx).Operation)
		}
		return next(ctx)
	})
}

func onlyPublic(operation *ast.OperationDefinition) bool {
	for _, each := range operation.SelectionSet {
		if field, isField := each.(*ast.Field); !isField || !public[field.Name] {
			return false
		}
	}
	return true
}

// kept lets caches keep what public queries are answered, unless with errors, which gqlgen writes first.
func kept(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		isPublic := false
		r = r.WithContext(context.WithValue(r.Context(), publicKey{}, &isPublic))
		caching.Serve(w, r, next, func(body []byte) bool {
			return isPublic && !bytes.HasPrefix(body, []byte(`{"errors"`))
		})
	})
}
