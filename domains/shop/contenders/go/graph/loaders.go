package graph

import (
	"context"
	"time"

	"github.com/vikstrous/dataloadgen"

	"wirelab.example/shop/shop"
)

// Loading is how many keys a statement or call takes.
type Loading string

const (
	// Batching takes all that are wanted at one time, as soon as no more come.
	Batching Loading = "batching"
	// Waiting takes all that are wanted within a millisecond (dataloadgen).
	Waiting Loading = "waiting"
	// Naive takes one.
	Naive Loading = "naive"
)

// wait is what gqlgen's documentation recommends; dataloadgen's default is 16 ms.
const wait = time.Millisecond

// some is a key and how many of what belongs to it are wanted.
type some struct{ of, first int32 }

// load gives the value for one key.
type load[Key comparable, Value any] func(ctx context.Context, key Key) (Value, error)

// loaders are the loads of one request.
type loaders struct {
	reviews load[some, []*shop.Review]
	orders  load[some, []*shop.Order]
	lines   load[int32, []*shop.OrderLine]
	product load[int32, *shop.Product]
}

type loadersKey struct{}

func loadersOf(ctx context.Context) *loaders { return ctx.Value(loadersKey{}).(*loaders) }

func newLoaders(it *shop.Shop, loading Loading) *loaders {
	made := &loaders{}
	if it.Catalogue != nil {
		made.reviews = loadBy(loading, counted(it.Catalogue.ReviewsOf))
	}
	if it.Orders != nil {
		made.orders = loadBy(loading, counted(it.Orders.HeadsOf))
		made.lines = loadBy(loading, it.Orders.LinesOf)
	}
	if it.AnyCatalogue != nil {
		made.product = loadBy(loading, func(ctx context.Context, ids []int32) ([]*shop.Product, error) {
			found, err := it.AnyCatalogue.ByID(ctx, ids)
			products := make(map[int32]*shop.Product, len(found))
			for _, product := range found {
				products[product.ID] = product
			}
			values := make([]*shop.Product, len(ids))
			for i, id := range ids {
				values[i] = products[id]
			}
			return values, err
		})
	}
	return made
}

// counted loads so many of each key; keys that want another number are loaded apart.
func counted[Value any](fetch func(context.Context, []int32, int32) ([]Value, error)) func(context.Context, []some) ([]Value, error) {
	return func(ctx context.Context, keys []some) ([]Value, error) {
		values, places := make([]Value, len(keys)), map[int32][]int{}
		for i, key := range keys {
			places[key.first] = append(places[key.first], i)
		}
		for first, mine := range places {
			ids := make([]int32, len(mine))
			for i, place := range mine {
				ids[i] = keys[place].of
			}
			fetched, err := fetch(ctx, ids, first)
			if err != nil {
				return nil, err
			}
			for i, place := range mine {
				values[place] = fetched[i]
			}
		}
		return values, nil
	}
}

func loadBy[Key comparable, Value any](loading Loading, fetch func(context.Context, []Key) ([]Value, error)) load[Key, Value] {
	switch loading {
	case Batching:
		return newBatches(fetch).load
	case Waiting:
		return dataloadgen.NewLoader(func(ctx context.Context, keys []Key) ([]Value, []error) {
			values, err := fetch(ctx, keys)
			if err != nil {
				return nil, []error{err}
			}
			return values, nil
		}, dataloadgen.WithWait(wait)).Load
	default:
		return func(ctx context.Context, key Key) (value Value, err error) {
			values, err := fetch(ctx, []Key{key})
			if err != nil {
				return value, err
			}
			return values[0], nil
		}
	}
}

// by loads with one of the loaders, if this program has it.
func by[Key comparable, Value any](ctx context.Context, loader load[Key, Value], key Key) (Value, error) {
	if loader == nil {
		var none Value
		return none, shop.NotServed()
	}
	return loader(ctx, key)
}
