package shop

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"
)

// Kind is why something is refused, in words that every protocol has an error for.
type Kind string

const (
	NotFound        Kind = "not_found"
	Invalid         Kind = "invalid"
	Unauthenticated Kind = "unauthenticated"
	OutOfStock      Kind = "out_of_stock"
	PaymentRefused  Kind = "payment_refused"
	Unavailable     Kind = "unavailable"
	TooLate         Kind = "too_late"
	Internal        Kind = "internal"
)

// Refusal is an error that a client may know the reason of.
type Refusal struct {
	Kind   Kind
	Detail string
}

func (refusal *Refusal) Error() string { return refusal.Detail }

// Refuse says no.
func Refuse(kind Kind, format string, arguments ...any) error {
	return &Refusal{kind, fmt.Sprintf(format, arguments...)}
}

// NotServed is what a program says of the services that others serve.
func NotServed() error { return Refuse(NotFound, "this service does not offer it") }

// kindOf gives the kind of a refusal, "" of anything else.
func kindOf(err error) Kind {
	var refusal *Refusal
	if errors.As(err, &refusal) {
		return refusal.Kind
	}
	return ""
}

// Told is what a client is told of an error: what goes wrong inside goes to the log.
func Told(err error) *Refusal {
	var refusal *Refusal
	switch {
	case errors.As(err, &refusal):
		return refusal
	case errors.Is(err, context.DeadlineExceeded):
		return &Refusal{TooLate, "there was no answer within the deadline"}
	case errors.Is(err, context.Canceled):
		return &Refusal{Unavailable, "the client has gone"}
	}
	log.Print(err)
	return &Refusal{Internal, "something went wrong inside the server"}
}

// deadline is how long another service is waited for, where the client does not say.
const deadline = 2 * time.Second

// withDeadline bounds what asks other services; an earlier deadline of the client's stays.
func withDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, deadline)
}
