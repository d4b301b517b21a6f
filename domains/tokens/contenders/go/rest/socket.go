package rest

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/coder/websocket"

	"wirelab.example/tokens/tokens"
)

type question struct {
	Op string `json:"op"`
	tokens.Prompt
}

// converse answers "stream" by a message for each item and one that is the end, "ping" by one.
func converse(w http.ResponseWriter, r *http.Request) {
	socket, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer socket.CloseNow()
	ctx := r.Context()
	for err == nil {
		var text []byte
		if _, text, err = socket.Read(ctx); err != nil {
			return
		}
		err = reply(ctx, socket, text)
	}
}

func reply(ctx context.Context, socket *websocket.Conn, text []byte) error {
	var asked question
	if json.Unmarshal(text, &asked) != nil {
		asked = question{}
	}
	switch asked.Op {
	case "ping":
		return send(ctx, socket, map[string]string{"status": "ok"})
	case "stream":
		if wrong := asked.Check(); wrong != nil {
			return refuse(ctx, socket, wrong.Error())
		}
		err := asked.Send(ctx, func(item tokens.Item) error { return send(ctx, socket, item) })
		if err != nil {
			return err
		}
		return send(ctx, socket, map[string]int32{"end": asked.Count})
	}
	return refuse(ctx, socket, "op must be ping or stream")
}

func refuse(ctx context.Context, socket *websocket.Conn, why string) error {
	return send(ctx, socket, map[string]map[string]string{"error": {"code": "invalid", "message": why}})
}

func send(ctx context.Context, socket *websocket.Conn, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return socket.Write(ctx, websocket.MessageText, text)
}
