package serving

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
)

// Settings is what the environment says: where to listen, where the rows are, how many connections
// to take.
type Settings struct {
	Address  string
	StoreURL string
	PoolSize int32
}

// Check notes an environment variable that is not as it is expected to be.
type Check func(good bool, name, expected string)

// ReadSettings gives one error that names everything that is wrong, with what further checks note.
func ReadSettings(further ...func(Check)) (Settings, error) {
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
	poolSize, err := strconv.ParseInt(os.Getenv("UNIVERSITY_POOL_SIZE"), 10, 32)
	check(err == nil && 1 <= poolSize && poolSize <= 1000, "UNIVERSITY_POOL_SIZE", "a number of connections from 1 to 1000")
	for _, it := range further {
		it(check)
	}

	address := net.JoinHostPort(host, strconv.FormatUint(port, 10))
	return Settings{address, url, int32(poolSize)}, errors.Join(problems...)
}
