// Command wirelab-ferretdb is wirelab's document store: FerretDB embedded, which speaks the MongoDB
// wire protocol and keeps its documents in SQLite. Nothing has to be installed to run it.
//
// It prints one line when it listens, the URL that clients connect to, and serves until SIGTERM or
// SIGINT. Commits are not flushed to the disk (PRAGMA synchronous=OFF): the data is made anew for
// every run, and the disk's mood is not what a comparison of protocols should measure.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/FerretDB/FerretDB/ferretdb"
)

// farewell is how long clients get to disconnect after the signal to end.
const farewell = 300 * time.Millisecond

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "TCP address to listen on; port 0 takes a free one")
	data := flag.String("data", "", "folder of the SQLite files; it is created where it is missing")
	flag.Parse()

	if err := serve(*listen, *data); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// serve runs the store until the process is asked to end.
func serve(listen, data string) error {
	if data == "" {
		return errors.New("no folder for the data: give --data FOLDER")
	}

	folder, err := filepath.Abs(data)
	if err != nil {
		return err
	}

	if err = os.MkdirAll(folder, 0o700); err != nil {
		return err
	}

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()

	store, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: listen},
		Logger:    slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Handler:   "sqlite",
		SQLiteURL: sqliteURL(folder),
	})
	if err != nil {
		return err
	}

	fmt.Println(store.MongoDBURI())

	ended := make(chan error, 1)
	go func() { ended <- store.Run(ctx) }()

	select {
	case err = <-ended:
		return err
	case <-ctx.Done():
	}

	// Run waits seconds for clients that stay connected; nothing here is worth that wait.
	select {
	case err = <-ended:
		return err
	case <-time.After(farewell):
		return nil
	}
}

// sqliteURL names the data folder the way FerretDB wants it: a file URI that ends in a slash.
func sqliteURL(folder string) string {
	settings := url.Values{"_pragma": {"synchronous(off)"}}
	location := url.URL{Scheme: "file", OmitHost: true, Path: folder + "/", RawQuery: settings.Encode()}

	return location.String()
}
