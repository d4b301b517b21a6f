// Package tools is the shop over MCP: the official SDK on net/http.
package tools

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wirelab.example/shop/shop"
)

const (
	largestBody = 1 << 20
	idle        = 30 * time.Minute

	withoutSessions = "2026-07-28"
)

// New gives the tools of the services that this program serves, at /mcp; streamed, they answer by a
// stream of events.
func New(it *shop.Shop, streamed bool) http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
	add(server, "ping", "Say that the server is there", reads, func(context.Context, struct{}) (status, error) {
		return status{"ok"}, nil
	})
	if it.Catalogue != nil {
		productTools(server, it.Catalogue)
		reviewTools(server, it.Catalogue)
	}
	if it.Users != nil {
		userTools(server, it.Users)
	}
	if it.Orders != nil {
		orderTools(server, it.Orders)
	}
	handler := func(stateless bool) http.Handler {
		return mcp.NewStreamableHTTPHandler(
			func(*http.Request) *mcp.Server { return server },
			&mcp.StreamableHTTPOptions{
				Stateless:                    stateless,
				JSONResponse:                 !streamed,
				SessionTimeout:               idle,
				MaxRequestBodyBytes:          largestBody,
				PropagateRequestCancellation: true,
			},
		)
	}
	current, sessions := handler(true), handler(false) // the SDK refuses the current revision beside sessions
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= withoutSessions {
			current.ServeHTTP(w, r)
		} else {
			sessions.ServeHTTP(w, r)
		}
	})
	return mux
}

const (
	reads  = true
	writes = false
)

// add makes a function a tool: its value is structured content, its refusal names its kind.
func add[In, Out any](server *mcp.Server, name, description string, readsOnly bool, call func(context.Context, In) (Out, error)) {
	tool := &mcp.Tool{
		Name: name, Description: description,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: readsOnly},
	}
	mcp.AddTool(server, tool, func(ctx context.Context, _ *mcp.CallToolRequest, asked In) (*mcp.CallToolResult, Out, error) {
		value, err := call(ctx, asked)
		if err != nil {
			told := shop.Told(err)
			kind := told.Kind
			if kind == shop.OutOfStock || kind == shop.PaymentRefused {
				kind = "conflict"
			}
			err = fmt.Errorf("%s: %s", kind, told.Detail)
		}
		return nil, value, err
	})
}
