package store

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"
)

// quiet is how long no key may have come before a batch is complete.
const quiet = 10 * time.Microsecond

// batches loads the values of many keys by one fetch, each once a request. gqlgen resolves fields in goroutines, none of which
// can determine that it is the last one, so a batch lets all others run until no key has come for a while. It does not sleep:
// on an idle server, the shortest timer of Go takes a millisecond.
type batches[Key comparable, Value any] struct {
	fetch Fetch[Key, Value]
	mutex sync.Mutex
	open  *batch[Key, Value]
	known map[Key]place[Key, Value]
}

type batch[Key comparable, Value any] struct {
	keys   []Key
	values []Value
	err    error
	done   chan struct{}
}

// place is where the value of a key is, once its batch is done.
type place[Key comparable, Value any] struct {
	batch *batch[Key, Value]
	at    int
}

func newBatches[Key comparable, Value any](fetch Fetch[Key, Value]) *batches[Key, Value] {
	return &batches[Key, Value]{fetch: fetch, known: map[Key]place[Key, Value]{}}
}

func (it *batches[Key, Value]) load(ctx context.Context, key Key) (value Value, err error) {
	at := it.placeOf(ctx, key)
	<-at.batch.done
	if at.batch.err != nil {
		return value, at.batch.err
	}
	return at.batch.values[at.at], nil
}

func (it *batches[Key, Value]) placeOf(ctx context.Context, key Key) place[Key, Value] {
	it.mutex.Lock()
	defer it.mutex.Unlock()
	at, known := it.known[key]
	if !known {
		if it.open == nil {
			it.open = &batch[Key, Value]{done: make(chan struct{})}
			go it.complete(ctx, it.open)
		}
		at = place[Key, Value]{it.open, len(it.open.keys)}
		it.open.keys = append(it.open.keys, key)
		it.known[key] = at
	}
	return at
}

func (it *batches[Key, Value]) complete(ctx context.Context, batch *batch[Key, Value]) {
	defer close(batch.done)
	defer func() {
		if reason := recover(); reason != nil {
			batch.err = fmt.Errorf("a batch panicked: %v", reason)
		}
	}()
	for known, since := 0, time.Now(); ; {
		runtime.Gosched()
		if keys := it.keysOf(batch); keys > known {
			known, since = keys, time.Now()
		} else if time.Since(since) >= quiet {
			break
		}
	}
	it.mutex.Lock()
	it.open = nil
	it.mutex.Unlock()
	batch.values, batch.err = it.fetch(ctx, batch.keys)
}

func (it *batches[Key, Value]) keysOf(batch *batch[Key, Value]) int {
	it.mutex.Lock()
	defer it.mutex.Unlock()
	return len(batch.keys)
}
