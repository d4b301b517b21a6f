// Package serving is what the servers in Go do alike: read their settings, listen, and end in order.
package serving

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os/signal"
	"syscall"
	"time"
)

const (
	// ConnectionWait is how long the store may take to answer at the start, and how long a statement waits for a connection.
	ConnectionWait = 5 * time.Second
	// LargestBody is how many bytes a request may have.
	LargestBody = 1 << 20

	headerWait = 5 * time.Second
	keepAlive  = 75 * time.Second
	grace      = 500 * time.Millisecond
)

// Serve answers at /graphql until SIGTERM or SIGINT; requests in flight have half a second then.
func Serve(address string, queries http.Handler) error {
	mux := http.NewServeMux()
	mux.Handle("/graphql", queries)
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: mux, IdleTimeout: keepAlive, ReadHeaderTimeout: headerWait}

	ended, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ended.Done():
	}
	patience, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := server.Shutdown(patience); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return server.Close()
}
