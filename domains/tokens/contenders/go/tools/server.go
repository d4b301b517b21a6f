// Package tools sends items as progress of an MCP tool: the official SDK on net/http.
package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wirelab.example/tokens/tokens"
)

const largestBody = 1 << 20

type status struct {
	Status string `json:"status"`
}
type sent struct {
	Count int32 `json:"count"`
}

// New gives the tools at /mcp, which answer by streams of events, without sessions.
func New() http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: "tokens", Version: "1"}, nil)
	reads := &mcp.ToolAnnotations{ReadOnlyHint: true}
	mcp.AddTool(server, &mcp.Tool{Name: "ping", Description: "Say that the server is there.", Annotations: reads},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, status, error) {
			return nil, status{"ok"}, nil
		})
	mcp.AddTool(server, &mcp.Tool{Name: "stream", Description: "Report the texts of a prompt as progress.", Annotations: reads}, stream)
	handler := mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, MaxRequestBodyBytes: largestBody, PropagateRequestCancellation: true},
	)
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	return mux
}

// stream notifies the client of each item, if it asks for progress.
func stream(ctx context.Context, call *mcp.CallToolRequest, asked tokens.Prompt) (*mcp.CallToolResult, sent, error) {
	if err := asked.Check(); err != nil {
		return nil, sent{}, fmt.Errorf("invalid: %w", err)
	}
	done, token := int32(0), call.Params.GetProgressToken()
	err := asked.Send(ctx, func(item tokens.Item) error {
		text, err := json.Marshal(item)
		if done++; err != nil || token == nil {
			return err
		}
		return call.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Message: string(text), Progress: float64(done), Total: float64(asked.Count),
		})
	})
	return nil, sent{done}, err
}
