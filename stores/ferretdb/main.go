// Command wirelab-ferretdb is wirelab's document store: FerretDB embedded, which speaks the MongoDB
// wire protocol and keeps its documents in SQLite. Nothing has to be installed to run it.
//
// It serves until SIGTERM, SIGINT or the end of its parent's pipe, and prints one line when it
// listens: the URL that clients connect to.
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

	"github.com/FerretDB/FerretDB/ferretdb"
)

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

	return store.Run(ctx)
}

// sqliteURL names the data folder the way FerretDB wants it: a file URI that ends in a slash.
func sqliteURL(folder string) string {
	location := url.URL{Scheme: "file", OmitHost: true, Path: folder + "/"}
	return location.String()
}
