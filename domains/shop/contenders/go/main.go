// The shop served over one protocol: all of it, or one of its three services.
package main

import (
	"cmp"
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

	"wirelab.example/shop/graph"
	"wirelab.example/shop/rest"
	"wirelab.example/shop/rpc"
	"wirelab.example/shop/shop"
	"wirelab.example/shop/tools"
)

const (
	poolSize  = 10
	keepAlive = 75 * time.Second
	grace     = 500 * time.Millisecond
)

var (
	protocol = flag.String("protocol", "rest", "rest, graphql, grpc, connect or mcp")
	service  = flag.String("service", "all", "all, or the one service to be: catalogue, orders or users")
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
	settings, err := readSettings()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	peers, err := settings.peers()
	if err != nil {
		return err
	}
	opened, err := shop.Open(ctx, settings.service, settings.storeURL, poolSize, peers)
	if err != nil {
		return err
	}
	if settings.transport == "quic" {
		return overQUIC(ctx, settings.address, rest.New(opened, settings.compressed, settings.cached))
	}
	listener, err := net.Listen("tcp", settings.address)
	if err != nil {
		return err
	}
	if settings.transport == "tls" {
		if listener, err = secured(listener, settings.address); err != nil {
			return err
		}
	}
	switch settings.protocol {
	case "grpc":
		server := rpc.NewServer(opened, settings.compressed, keepAlive)
		context.AfterFunc(ctx, func() {
			time.AfterFunc(grace, server.Stop)
			server.GracefulStop()
		})
		return server.Serve(listener)
	case "graphql":
		return overHTTP(ctx, listener, graph.New(opened, settings.loading, settings.compressed, settings.cached))
	case "connect":
		return overHTTP(ctx, listener, rpc.Handler(opened, settings.compressed))
	case "mcp":
		return overHTTP(ctx, listener, tools.New(opened, settings.streamed))
	default:
		return overHTTP(ctx, listener, rest.New(opened, settings.compressed, settings.cached))
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

type settings struct {
	protocol, service, address, storeURL, transport string
	loading                                         graph.Loading
	compressed, cached, streamed                    bool
}

// readSettings gives one error that names everything that is wrong.
func readSettings() (settings, error) {
	var problems []error
	check := func(good bool, name, expected, got string) {
		if !good {
			problems = append(problems, fmt.Errorf("%s: expected %s, got %q", name, expected, got))
		}
	}
	host, port, url := os.Getenv("WIRELAB_HOST"), os.Getenv("WIRELAB_PORT"), os.Getenv("WIRELAB_STORE_URL")
	loading, compression := graph.Loading(cmp.Or(os.Getenv("SHOP_LOADING"), string(graph.Batching))), os.Getenv("SHOP_COMPRESSION")
	caching, transport, answers := os.Getenv("SHOP_CACHING"), os.Getenv("SHOP_TRANSPORT"), os.Getenv("SHOP_ANSWERS")
	check(slices.Contains([]string{"rest", "graphql", "grpc", "connect", "mcp"}, *protocol), "--protocol", "rest, graphql, grpc, connect or mcp", *protocol)
	check(slices.Contains([]string{"all", "catalogue", "orders", "users"}, *service), "--service", "all, catalogue, orders or users", *service)
	check(host != "", "WIRELAB_HOST", "an address to listen on", host)
	check(port != "", "WIRELAB_PORT", "a port", port)
	check(strings.HasPrefix(url, "postgres"), "WIRELAB_STORE_URL", "postgresql://USER@HOST:PORT/DATABASE", url)
	check(slices.Contains([]graph.Loading{graph.Batching, graph.Waiting, graph.Naive}, loading), "SHOP_LOADING", "batching, waiting or naive", string(loading))
	check(slices.Contains([]string{"", "none", "gzip"}, compression), "SHOP_COMPRESSION", "none or gzip", compression)
	check(slices.Contains([]string{"", "none", "http"}, caching), "SHOP_CACHING", "none or http", caching)
	check(slices.Contains([]string{"", "tls"}, transport) || transport == "quic" && *protocol == "rest", "SHOP_TRANSPORT", "tls, or quic for rest", transport)
	check(slices.Contains([]string{"", "json", "events"}, answers), "SHOP_ANSWERS", "json or events", answers)
	for _, peer := range peersOf[*service] {
		check(os.Getenv(peer) != "", peer, "HOST:PORT of that service", os.Getenv(peer))
	}
	return settings{*protocol, *service, net.JoinHostPort(host, port), url, transport, loading, compression == "gzip", caching == "http", answers == "events"}, errors.Join(problems...)
}

const (
	catalogueAt = "WIRELAB_PEER_CATALOGUE"
	usersAt     = "WIRELAB_PEER_USERS"
)

// peersOf is which services a service calls.
var peersOf = map[string][]string{"catalogue": {usersAt}, "orders": {catalogueAt, usersAt}}

func (settings settings) peers() (peers shop.Peers, err error) {
	for _, name := range peersOf[settings.service] {
		var peer interface {
			shop.UserService
			shop.CatalogueService
		}
		switch address := os.Getenv(name); settings.protocol {
		case "grpc":
			peer, err = rpc.NewGrpcPeer(address)
		case "graphql":
			peer = graph.NewPeer(address)
		case "connect":
			peer = rpc.NewConnectPeer(address)
		default:
			peer = rest.NewPeer(address)
		}
		if name == catalogueAt {
			peers.Catalogue = peer
		} else {
			peers.Users = peer
		}
	}
	return peers, err
}
