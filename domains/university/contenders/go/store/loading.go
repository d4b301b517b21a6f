package store

import "context"

// Loading is how rows are loaded: the two ways differ here and nowhere else.
type Loading string

const (
	Naive           Loading = "naive"
	BatchingCaching Loading = "batching-caching"
)

// Fetch answers for many keys by one statement: as many values, in the order of the keys.
type Fetch[Key comparable, Value any] func(ctx context.Context, keys []Key) ([]Value, error)

// Load gives the value for one key.
type Load[Key comparable, Value any] func(ctx context.Context, key Key) (Value, error)

func loadBy[Key comparable, Value any](loading Loading, fetch Fetch[Key, Value]) Load[Key, Value] {
	if loading == BatchingCaching {
		return newBatches(fetch).load
	}
	return func(ctx context.Context, key Key) (Value, error) {
		values, err := fetch(ctx, []Key{key})
		if err != nil {
			var none Value
			return none, err
		}
		return values[0], nil
	}
}
