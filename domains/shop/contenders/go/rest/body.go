package rest

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"mime"
	"net/http"
	"strings"

	"google.golang.org/protobuf/proto"

	"wirelab.example/shop/shop"
)

const (
	protobufType = "application/protobuf"
	largestBody  = 1 << 20
)

type message = proto.Message

var statuses = map[shop.Kind]int{
	shop.NotFound:        http.StatusNotFound,
	shop.Invalid:         http.StatusUnprocessableEntity,
	shop.Unauthenticated: http.StatusUnauthorized,
	shop.OutOfStock:      http.StatusConflict,
	shop.PaymentRefused:  http.StatusPaymentRequired,
	shop.Unavailable:     http.StatusServiceUnavailable,
	shop.TooLate:         http.StatusGatewayTimeout,
	shop.Internal:        http.StatusInternalServerError,
	malformed:            http.StatusBadRequest,
	tooLarge:             http.StatusRequestEntityTooLarge,
	notSupported:         http.StatusUnsupportedMediaType,
}

const (
	malformed    shop.Kind = "malformed"
	tooLarge     shop.Kind = "too_large"
	notSupported shop.Kind = "not_supported"
)

// then goes on where nothing has gone wrong.
func then[Value any](err error, next func() (Value, error)) (Value, error) {
	if err != nil {
		var none Value
		return none, err
	}
	return next()
}

// body reads what a client sends: JSON, or a message that is made into the same.
func body[Value any, Form any, Message interface {
	*Form
	proto.Message
}](r *http.Request, from func(Message) Value) (Value, error) {
	var value Value
	text, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, largestBody))
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return value, shop.Refuse(tooLarge, "a body has at most %d bytes", largestBody)
	} else if err != nil {
		return value, shop.Refuse(malformed, "the body cannot be read: %v", err)
	}
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch media {
	case protobufType:
		form := Message(new(Form))
		if err := proto.Unmarshal(text, form); err != nil {
			return value, shop.Refuse(malformed, "the body is no such message")
		}
		return from(form), nil
	case "application/json":
		return fromJSON[Value](text)
	}
	return value, shop.Refuse(notSupported, "a body is application/json or %s", protobufType)
}

func fromJSON[Value any](text []byte) (Value, error) {
	var value Value
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&value)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return value, shop.Refuse(malformed, "the body is not JSON: %v", err)
	} else if err != nil {
		return value, shop.Refuse(shop.Invalid, "the body is not as it must be: %v", err)
	}
	if decoder.More() {
		return value, shop.Refuse(malformed, "the body has more than one value")
	}
	return value, nil
}

// reply answers, or says what went wrong.
func reply(w http.ResponseWriter, r *http.Request, status int, value any, err error, form func() message) {
	if err != nil {
		refuse(w, err)
		return
	}
	if wantsMessage(r) {
		answer(w, r, status, nil, form())
		return
	}
	answer(w, r, status, value, nil)
}

func answer(w http.ResponseWriter, r *http.Request, status int, value any, form message) {
	var text []byte
	var err error
	if wantsMessage(r) {
		w.Header().Set("Content-Type", protobufType)
		text, err = proto.Marshal(form)
	} else {
		w.Header().Set("Content-Type", "application/json")
		text, err = json.Marshal(value)
	}
	if err != nil {
		refuse(w, err)
		return
	}
	w.WriteHeader(status)
	w.Write(text)
}

func wantsMessage(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Accept"), protobufType)
}

type problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

func refuse(w http.ResponseWriter, err error) {
	told := shop.Told(err)
	status := statuses[told.Kind]
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(problem{http.StatusText(status), status, told.Detail}); err != nil {
		log.Print(err)
	}
}
