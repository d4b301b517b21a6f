package shop

import (
	"context"
	"sync"
)

// addEvent gives events their ids in the order in which they are committed: the lock is held from
// before the id is drawn until the transaction ends.
const addEvent = `INSERT INTO product_events (product_id, kind, price_cents, stock)
	SELECT $1, $2, $3, $4 FROM pg_advisory_xact_lock(13)`

const eventsAtOnce = 200

// news wakes those who wait for something to happen in this program.
type news struct {
	mutex sync.Mutex
	next  chan struct{}
}

// wait gives a channel that is closed when something happens.
func (news *news) wait() <-chan struct{} {
	news.mutex.Lock()
	defer news.mutex.Unlock()
	if news.next == nil {
		news.next = make(chan struct{})
	}
	return news.next
}

func (news *news) tell() {
	news.mutex.Lock()
	defer news.mutex.Unlock()
	if news.next != nil {
		close(news.next)
		news.next = nil
	}
}

// Watch sends events in their order, those that have not happened yet when they do.
func (catalogue *Catalogue) Watch(ctx context.Context, watch Watch, send func(*ProductEvent) error) error {
	if err := check(watch); err != nil {
		return err
	}
	for watch.Count > 0 {
		next := catalogue.news.wait() // before the store is asked, so that nothing is missed
		events, err := all[ProductEvent](ctx, catalogue.store,
			"SELECT id, product_id, kind, price_cents, stock FROM product_events WHERE id > $1 ORDER BY id LIMIT $2",
			watch.After, min(watch.Count, eventsAtOnce))
		if err != nil {
			return err
		}
		for _, event := range events {
			if err := send(event); err != nil {
				return err
			}
			watch = Watch{event.ID, watch.Count - 1}
		}
		if len(events) == 0 {
			select {
			case <-next:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

// Check refuses a watch that cannot be meant.
func (watch Watch) Check() error { return check(watch) }
