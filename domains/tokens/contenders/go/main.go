// The tokens served over one protocol.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"wirelab.example/tokens/graph"
	"wirelab.example/tokens/rest"
	"wirelab.example/tokens/rpc"
	"wirelab.example/tokens/tools"
)

const (
	keepAlive = 75 * time.Second
	grace     = 500 * time.Millisecond
)

var (
	protocol = flag.String("protocol", "rest", "rest, graphql, grpc, connect or mcp")
	versions = flag.Bool("versions", false, "print the modules that the server is built of, and nothing else")
)

func main() {
	flag.Parse()
	if *versions {
		printVersions()
		return
	}
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// printVersions asks the program itself: an image has neither the toolchain nor go.mod.
func printVersions() {
	info, known := debug.ReadBuildInfo()
	if !known {
		return
	}
	fmt.Println("go", strings.TrimPrefix(info.GoVersion, "go"))
	for _, module := range info.Deps {
		fmt.Println(module.Path, module.Version)
	}
}

func serve() error {
	address, transport, err := readSettings()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if transport == "quic" {
		return overQUIC(ctx, address, handler())
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	if transport == "tls" {
		if listener, err = secured(listener, address); err != nil {
			return err
		}
	}
	if *protocol == "grpc" {
		server := rpc.NewServer(keepAlive)
		context.AfterFunc(ctx, func() {
			time.AfterFunc(grace, server.Stop)
			server.GracefulStop()
		})
		return server.Serve(listener)
	}
	return overHTTP(ctx, listener, handler())
}

func handler() http.Handler {
	switch *protocol {
	case "graphql":
		return graph.New()
	case "connect":
		return rpc.Handler()
	case "mcp":
		return tools.New()
	default:
		return rest.New(os.Getenv("TOKENS_BUFFERING") == "refused")
	}
}

// overHTTP answers HTTP/1.1, and HTTP/2 where clients begin with it or agree on it by TLS, until the signal.
func overHTTP(ctx context.Context, listener net.Listener, handler http.Handler) error {
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Handler: handler, Protocols: protocols, IdleTimeout: keepAlive, ReadHeaderTimeout: 5 * time.Second}
	return untilDone(ctx, server, func() error { return server.Serve(listener) })
}

// stoppable is a server of HTTP/1.1 and HTTP/2, or of HTTP/3.
type stoppable interface {
	Shutdown(ctx context.Context) error
	Close() error
}

// untilDone serves until serving fails or the context ends; requests in flight have until grace is over then.
func untilDone(ctx context.Context, server stoppable, serve func() error) error {
	failed := make(chan error, 1)
	go func() { failed <- serve() }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	patience, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := server.Shutdown(patience); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return server.Close()
}

// readSettings gives the address and the transport, or one error that names everything that is wrong.
func readSettings() (address, transport string, err error) {
	var problems []error
	check := func(good bool, name, expected, got string) {
		if !good {
			problems = append(problems, fmt.Errorf("%s: expected %s, got %q", name, expected, got))
		}
	}
	host, port := os.Getenv("WIRELAB_HOST"), os.Getenv("WIRELAB_PORT")
	transport, buffering := os.Getenv("TOKENS_TRANSPORT"), os.Getenv("TOKENS_BUFFERING")
	check(slices.Contains([]string{"rest", "graphql", "grpc", "connect", "mcp"}, *protocol), "--protocol", "rest, graphql, grpc, connect or mcp", *protocol)
	check(host != "", "WIRELAB_HOST", "an address to listen on", host)
	check(port != "", "WIRELAB_PORT", "a port", port)
	check(slices.Contains([]string{"", "tls", "quic"}, transport), "TOKENS_TRANSPORT", "tls or quic", transport)
	check(slices.Contains([]string{"", "refused"}, buffering), "TOKENS_BUFFERING", "refused", buffering)
	return net.JoinHostPort(host, port), transport, errors.Join(problems...)
}
