// Package rest sends items as server-sent events, and over a WebSocket.
package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"wirelab.example/tokens/tokens"
)

// New gives the stream at /items, and the WebSocket at /socket; unbuffered, it asks proxies to pass
// events on at once.
func New(unbuffered bool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /ping", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, "application/json", map[string]string{"status": "ok"})
	})
	mux.HandleFunc("GET /items", func(w http.ResponseWriter, r *http.Request) {
		asked, err := promptOf(r)
		if err != nil {
			answer(w, http.StatusUnprocessableEntity, "application/problem+json", map[string]any{
				"title": "Invalid", "status": http.StatusUnprocessableEntity, "detail": err.Error(),
			})
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-store")
		if unbuffered {
			w.Header().Set("X-Accel-Buffering", "no")
		}
		control := http.NewResponseController(w)
		_ = asked.Send(r.Context(), func(item tokens.Item) error { // an error is that the client has left
			text, err := json.Marshal(item)
			if err == nil {
				_, err = fmt.Fprintf(w, "data: %s\n\n", text)
			}
			return errors.Join(err, control.Flush())
		})
	})
	mux.HandleFunc("GET /socket", converse)
	return mux
}

func promptOf(r *http.Request) (asked tokens.Prompt, err error) {
	query := r.URL.Query()
	for name, into := range map[string]*int32{"seed": &asked.Seed, "count": &asked.Count, "rate": &asked.Rate} {
		number, wrong := strconv.ParseInt(query.Get(name), 10, 32)
		if wrong != nil {
			err = errors.Join(err, fmt.Errorf("%s must be an integer of 32 bits, not %q", name, query.Get(name)))
		}
		*into = int32(number)
	}
	if err != nil {
		return asked, err
	}
	return asked, asked.Check()
}

func answer(w http.ResponseWriter, status int, form string, value any) {
	w.Header().Set("Content-Type", form)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // an error is that the client has left
}
