package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net"
	"net/http"
	"regexp"
	"strings"

	"github.com/dosco/graphjin/core/v3"
	"github.com/jackc/pgx/v5/pgconn"

	"wirelab.example/serving"
)

// asksForNothing is the query of readiness, which touches no store and which GraphJin does not know.
var asksForNothing = regexp.MustCompile(`^\s*(query\s*\w*\s*)?\{\s*__typename\s*\}\s*$`)

// handler is GraphQL over HTTP: GraphJin's core has no server.
type handler struct {
	graph *core.GraphJin
}

type request struct {
	Query     string          `json:"query"`
	Variables json.RawMessage `json:"variables"`
}

type response struct {
	Data   json.RawMessage `json:"data,omitempty"`
	Errors []failure       `json:"errors,omitempty"`
}

type failure struct {
	Message    string            `json:"message"`
	Extensions map[string]string `json:"extensions"`
}

func (handler handler) ServeHTTP(reply http.ResponseWriter, asked *http.Request) {
	var question request
	body := json.NewDecoder(http.MaxBytesReader(reply, asked.Body, serving.LargestBody))
	if err := body.Decode(&question); err != nil {
		refuse(reply, http.StatusBadRequest, "BAD_REQUEST", err.Error())
		return
	}
	if asksForNothing.MatchString(question.Query) {
		write(reply, http.StatusOK, response{Data: json.RawMessage(`{"__typename":"Query"}`)})
		return
	}
	answer, err := handler.graph.GraphQL(asked.Context(), question.Query, question.Variables, nil)
	switch kind := kindOf(err); kind {
	case "":
		write(reply, http.StatusOK, response{Data: answer.Data})
	case "SERVICE_UNAVAILABLE":
		refuse(reply, http.StatusServiceUnavailable, kind, serving.ErrBusy.Error())
	case "INTERNAL_SERVER_ERROR":
		log.Print(err)
		refuse(reply, http.StatusInternalServerError, kind, "internal server error")
	default:
		refuse(reply, http.StatusBadRequest, kind, err.Error())
	}
}

// dataException is the class of what PostgreSQL says about values that make no sense.
const dataException = "22"

// kindOf tells what goes wrong in the store from what GraphJin cannot make a statement of.
func kindOf(err error) string {
	var store *pgconn.PgError
	var network net.Error
	switch {
	case err == nil:
		return ""
	case errors.Is(err, serving.ErrBusy):
		return "SERVICE_UNAVAILABLE"
	case errors.As(err, &store) && strings.HasPrefix(store.Code, dataException):
		return "BAD_USER_INPUT"
	case errors.As(err, &store), errors.As(err, &network), errors.Is(err, context.Canceled):
		return "INTERNAL_SERVER_ERROR"
	default:
		return "GRAPHQL_VALIDATION_FAILED"
	}
}

func refuse(reply http.ResponseWriter, status int, code, message string) {
	extensions := map[string]string{"code": code}
	write(reply, status, response{Errors: []failure{{message, extensions}}})
}

func write(reply http.ResponseWriter, status int, body response) {
	reply.Header().Set("content-type", "application/json")
	reply.WriteHeader(status)
	if err := json.NewEncoder(reply).Encode(body); err != nil {
		log.Print(err)
	}
}
