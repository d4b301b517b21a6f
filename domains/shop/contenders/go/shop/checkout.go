package shop

import (
	"context"
	"crypto/rand"
	"errors"
	"log"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	refusedCard     = "0002"
	largestPayment  = 100_000_000
	uniqueViolation = "23505"

	settleEvery    = time.Second
	abandonedAfter = "10 seconds" // longer than any deadline
)

// Checkout checks the user, reserves the stock, takes the payment and writes the order: all or nothing.
func (orders *Orders) Checkout(ctx context.Context, input CheckoutInput) (*Order, error) {
	if err := check(input); err != nil {
		return nil, err
	}
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	if input.IdempotencyKey != nil && *input.IdempotencyKey == "" {
		input.IdempotencyKey = nil // what Protocol Buffers make of none
	}
	shipping, err := orders.users.Shipping(ctx, input.Token, input.AddressID)
	if err != nil {
		return nil, err
	}
	if order, err := orders.carriedOut(ctx, input, shipping); order != nil || err != nil {
		return order, err
	}
	var order *Order
	if orders.together {
		order, err = orders.inOneTransaction(ctx, input, shipping)
	} else {
		order, err = orders.acrossServices(ctx, input, shipping)
	}
	var violation *pgconn.PgError
	if errors.As(err, &violation) && violation.Code == uniqueViolation {
		return orders.carriedOut(ctx, input, shipping) // by the same client at the same time
	}
	return order, err
}

// carriedOut gives the order that the key was used for before, if so.
func (orders *Orders) carriedOut(ctx context.Context, input CheckoutInput, shipping *Shipping) (*Order, error) {
	if input.IdempotencyKey == nil {
		return nil, nil
	}
	found, err := all[Order](ctx, orders.store, "SELECT id, user_id FROM orders WHERE checkout_key = $1", *input.IdempotencyKey)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	if found[0].UserID != shipping.UserID {
		return nil, Refuse(OutOfStock, "the key was used by somebody else")
	}
	return orders.Read(ctx, found[0].ID)
}

func (orders *Orders) inOneTransaction(ctx context.Context, input CheckoutInput, shipping *Shipping) (order *Order, err error) {
	err = orders.store.transaction(ctx, func(tx pgx.Tx) error {
		prices, err := takeStock(ctx, tx, input.Lines)
		if err == nil {
			order, err = write(ctx, tx, input, shipping, prices)
		}
		return err
	})
	return order, err
}

// acrossServices reserves the stock in the catalogue, and gives it back if nothing comes of it. What
// is under way is written down first, so that this is made up for even if the program ends.
func (orders *Orders) acrossServices(ctx context.Context, input CheckoutInput, shipping *Shipping) (order *Order, err error) {
	key := rand.Text()
	if _, err := orders.store.Exec(ctx, "INSERT INTO checkouts (key) VALUES ($1)", key); err != nil {
		return nil, err
	}
	prices, err := orders.catalogue.Reserve(ctx, key, Wishes{input.Lines})
	if kind := kindOf(err); kind == NotFound || kind == OutOfStock || kind == Invalid {
		_, failed := orders.store.Exec(ctx, "DELETE FROM checkouts WHERE key = $1", key) // nothing was taken
		return nil, errors.Join(err, failed)
	}
	if err == nil {
		err = orders.store.transaction(ctx, func(tx pgx.Tx) error {
			open, err := tx.Exec(ctx, "DELETE FROM checkouts WHERE key = $1 AND NOT cancelled", key)
			if err == nil && open.RowsAffected() == 0 {
				err = Refuse(TooLate, "the checkout took too long")
			}
			if err == nil {
				order, err = write(ctx, tx, input, shipping, prices)
			}
			return err
		})
	}
	if err != nil {
		// The client need not wait for it, and its deadline may have passed.
		go orders.cancel(context.WithoutCancel(ctx), key)
	}
	return order, err
}

// write takes the payment and writes the order, by one statement.
func write(ctx context.Context, tx pgx.Tx, input CheckoutInput, shipping *Shipping, prices []int32) (*Order, error) {
	var total int64
	lines := make([]*OrderLine, len(input.Lines))
	for i, line := range input.Lines {
		total += int64(line.Quantity) * int64(prices[i])
		lines[i] = &OrderLine{line.ProductID, line.Quantity, prices[i], nil}
	}
	if strings.HasSuffix(input.CardNumber, refusedCard) || total > largestPayment {
		return nil, Refuse(PaymentRefused, "the bank refuses to pay %d cents", total)
	}
	ids, quantities := columns(input.Lines)
	ending := input.CardNumber[len(input.CardNumber)-4:]
	row, err := one[orderRow](ctx, tx, "order",
		`WITH written AS (
			INSERT INTO orders (checkout_key, user_id, total_cents, ship_to) VALUES ($1, $2, $3, $4)
			RETURNING id, placed_on, status
		), lines AS (
			INSERT INTO order_lines (order_id, product_id, quantity, unit_price_cents)
			SELECT written.id, line.* FROM written, unnest($5::int[], $6::int[], $7::int[]) AS line
		), paid AS (
			INSERT INTO payments (order_id, amount_cents, card_ending) SELECT id, $3, $8 FROM written RETURNING paid_on
		) SELECT id, placed_on::text, status, paid_on::text FROM written, paid`,
		input.IdempotencyKey, shipping.UserID, int32(total), shipping.ShipTo, ids, quantities, prices, ending)
	if err != nil {
		return nil, err
	}
	payment := Payment{int32(total), ending, row.PaidOn}
	return &Order{row.ID, shipping.UserID, row.PlacedOn, row.Status, int32(total), shipping.ShipTo, payment, lines}, nil
}

// cancel gives reserved stock back. Where that fails, settle tries again.
func (orders *Orders) cancel(ctx context.Context, key string) {
	ctx, stop := withDeadline(ctx)
	defer stop()
	cancelled, err := orders.store.Exec(ctx, "UPDATE checkouts SET cancelled = true WHERE key = $1", key)
	if err == nil && cancelled.RowsAffected() == 0 {
		return // the order was written after all
	}
	if err == nil {
		err = orders.catalogue.Release(ctx, key)
	}
	if err == nil {
		_, err = orders.store.Exec(ctx, "DELETE FROM checkouts WHERE key = $1", key)
	}
	if err != nil {
		log.Printf("checkout %s could not be cancelled yet: %v", key, err)
	}
}

// Settle cancels every second what was left behind by checkouts that came to nothing, until the end.
func (orders *Orders) Settle(ctx context.Context) {
	type left struct{ Key string }
	for range time.Tick(settleEvery) {
		if ctx.Err() != nil {
			return
		}
		found, err := all[left](ctx, orders.store,
			"SELECT key FROM checkouts WHERE cancelled OR opened_at < now() - interval '"+abandonedAfter+"'")
		if err != nil {
			log.Print(err)
		}
		for _, checkout := range found {
			orders.cancel(ctx, checkout.Key)
		}
	}
}
