package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/coder/websocket"

	"wirelab.example/shop/shop"
)

// watchProducts sends server-sent events, each with its id.
func watchProducts(catalogue *shop.Catalogue) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		watch := shop.Watch{}
		page, err := pageOf(r)
		if err == nil {
			watch.Count, err = integer("count", r.URL.Query().Get("count"))
		}
		watch.After = page.After
		control, begun := http.NewResponseController(w), false
		if err == nil {
			err = catalogue.Watch(r.Context(), watch, func(event *shop.ProductEvent) error {
				if !begun {
					w.Header().Set("Content-Type", "text/event-stream")
					w.Header().Set("Cache-Control", "no-store")
					begun = true
				}
				text, err := json.Marshal(event)
				if err == nil {
					_, err = fmt.Fprintf(w, "id: %d\ndata: %s\n\n", event.ID, text)
				}
				return errors.Join(err, control.Flush())
			})
		}
		if err != nil && !begun {
			refuse(w, err)
		}
	}
}

// question is what a client says over a WebSocket: an operation, then its items.
type question struct {
	Op        string `json:"op"`
	After     int32  `json:"after"`
	Count     int32  `json:"count"`
	ProductID int32  `json:"productId"`
	Quantity  int32  `json:"quantity"`
	Stock     int32  `json:"stock"`
}

// converse is a WebSocket: "watch" sends events and "end"; "count" takes one count a message and
// answers "done" with a summary; "quote" answers each wish.
func converse(catalogue *shop.Catalogue) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		socket, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer socket.CloseNow()
		ctx, counts := r.Context(), []*shop.StockCount{}
		for {
			_, text, err := socket.Read(ctx)
			if err != nil {
				return
			}
			var asked question
			if json.Unmarshal(text, &asked) != nil {
				asked = question{}
			}
			switch asked.Op {
			case "watch":
				err = catalogue.Watch(ctx, shop.Watch{After: asked.After, Count: asked.Count}, func(event *shop.ProductEvent) error {
					return send(ctx, socket, event)
				})
				if err == nil {
					err = send(ctx, socket, map[string]int32{"end": asked.Count})
				}
			case "count":
				counts = append(counts, &shop.StockCount{ProductID: asked.ProductID, Stock: asked.Stock})
			case "done":
				var received int32
				received, err = catalogue.CountStock(ctx, counts)
				counts = nil
				if err == nil {
					err = send(ctx, socket, map[string]int32{"received": received})
				}
			case "quote":
				var quote *shop.Quote
				quote, err = catalogue.Quote(ctx, shop.WishInput{ProductID: asked.ProductID, Quantity: asked.Quantity})
				if err == nil {
					err = send(ctx, socket, quote)
				}
			default:
				err = shop.Refuse(shop.Invalid, "op must be watch, count, done or quote")
			}
			if err != nil {
				told := shop.Told(err)
				err = send(ctx, socket, map[string]map[string]string{"error": {"code": string(told.Kind), "message": told.Detail}})
			}
			if err != nil {
				return
			}
		}
	}
}

func send(ctx context.Context, socket *websocket.Conn, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return socket.Write(ctx, websocket.MessageText, text)
}
