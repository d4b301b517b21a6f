package graph

import (
	"context"
	"time"

	"github.com/vikstrous/dataloadgen"

	"wirelab.example/shop/shop"
)

// wait is how long a batch stays open for more keys after its first: fields are resolved in
// goroutines of their own, and nobody knows when the last of them has asked.
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

// newLoaders makes loads that take many keys by one statement or call, or without a remedy one each.
func newLoaders(it *shop.Shop, batching bool) *loaders {
	made := &loaders{}
	if it.Catalogue != nil {
		made.reviews = loadBy(batching, counted(it.Catalogue.ReviewsOf))
	}
	if it.Orders != nil {
		made.orders = loadBy(batching, counted(it.Orders.HeadsOf))
		made.lines = loadBy(batching, it.Orders.LinesOf)
	}
	if it.AnyCatalogue != nil {
		made.product = loadBy(batching, func(ctx context.Context, ids []int32) ([]*shop.Product, error) {
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

func loadBy[Key comparable, Value any](batching bool, fetch func(context.Context, []Key) ([]Value, error)) load[Key, Value] {
	if batching {
		loader := dataloadgen.NewLoader(func(ctx context.Context, keys []Key) ([]Value, []error) {
			values, err := fetch(ctx, keys)
			if err != nil {
				return nil, []error{err}
			}
			return values, nil
		}, dataloadgen.WithWait(wait))
		return loader.Load
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

// by loads with one of the loaders, if this program has it.
func by[Key comparable, Value any](ctx context.Context, loader load[Key, Value], key Key) (Value, error) {
	if loader == nil {
		var none Value
		return none, shop.NotServed()
	}
	return loader(ctx, key)
}
