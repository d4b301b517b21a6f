package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
)

// settings is what the environment says: where to listen, where the rows are, how many connections
// to take.
type settings struct {
	address  string
	storeURL string
	poolSize int
}

// readSettings gives one error that names everything that is wrong.
func readSettings() (settings, error) {
	var problems []error
	check := func(good bool, name, expected string) {
		if !good {
			problems = append(problems, fmt.Errorf("%s: expected %s, got %q", name, expected, os.Getenv(name)))
		}
	}

	host, url := os.Getenv("WIRELAB_HOST"), os.Getenv("WIRELAB_STORE_URL")
	check(host != "", "WIRELAB_HOST", "an address to listen on")
	port, err := strconv.ParseUint(os.Getenv("WIRELAB_PORT"), 10, 16)
	check(err == nil && port > 0, "WIRELAB_PORT", "a port from 1 to 65535")
	postgresql := strings.HasPrefix(url, "postgresql://") || strings.HasPrefix(url, "postgres://")
	check(postgresql, "WIRELAB_STORE_URL", "postgresql://USER@HOST:PORT/DATABASE")
	poolSize, err := strconv.ParseUint(os.Getenv("UNIVERSITY_POOL_SIZE"), 10, 31)
	check(err == nil && 1 <= poolSize && poolSize <= 1000, "UNIVERSITY_POOL_SIZE", "a number of connections from 1 to 1000")

	address := net.JoinHostPort(host, strconv.FormatUint(port, 10))
	return settings{address, url, int(poolSize)}, errors.Join(problems...)
}
