package shop

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// takeStock takes all that is wanted from the shelves and gives the unit prices, or refuses.
func takeStock(ctx context.Context, tx pgx.Tx, lines []*WishInput) ([]int32, error) {
	ids, quantities := columns(lines)
	// In the order of their ids, so that no two checkouts wait for one another.
	found, err := all[Product](ctx, tx, "SELECT id, price_cents, stock FROM products WHERE id = ANY($1) ORDER BY id FOR UPDATE", ids)
	if err != nil {
		return nil, err
	}
	products := make(map[int32]*Product, len(found))
	for _, product := range found {
		products[product.ID] = product
	}
	prices := make([]int32, len(lines))
	for i, line := range lines {
		if products[line.ProductID] == nil {
			return nil, Refuse(NotFound, "there is no product %d", line.ProductID)
		}
		prices[i] = products[line.ProductID].PriceCents
	}
	for _, line := range lines {
		if products[line.ProductID].Stock < line.Quantity {
			return nil, Refuse(OutOfStock, "there are not %d of product %d", line.Quantity, line.ProductID)
		}
	}
	_, err = tx.Exec(ctx, moveStock+"- quantity"+ofLines, ids, quantities)
	return prices, err
}

const (
	moveStock = "UPDATE products SET stock = stock "
	ofLines   = " FROM unnest($1::int[], $2::int[]) AS line (product_id, quantity) WHERE id = product_id"
)

func columns(lines []*WishInput) (ids, quantities []int32) {
	for _, line := range lines {
		ids, quantities = append(ids, line.ProductID), append(quantities, line.Quantity)
	}
	return ids, quantities
}

// Reserve takes stock for a checkout of another service, once for each key.
func (catalogue *Catalogue) Reserve(ctx context.Context, key string, wishes Wishes) ([]int32, error) {
	if err := check(wishes); err != nil {
		return nil, err
	}
	var prices []int32
	err := catalogue.store.transaction(ctx, func(tx pgx.Tx) error {
		ids, quantities := columns(wishes.Lines)
		made, err := tx.Exec(ctx,
			`INSERT INTO reservations (key, state, product_ids, quantities) VALUES ($1, 'reserved', $2, $3)
			 ON CONFLICT DO NOTHING`, key, ids, quantities)
		if err == nil && made.RowsAffected() == 0 {
			return Refuse(OutOfStock, "the reservation %s was made or released before", key)
		}
		if err == nil {
			prices, err = takeStock(ctx, tx, wishes.Lines)
		}
		return err
	})
	return prices, err
}

// Release gives back what was reserved, once for each key. The key stays released, so that a
// reservation that was under way for too long comes to nothing.
func (catalogue *Catalogue) Release(ctx context.Context, key string) error {
	type reservation struct{ ProductIDs, Quantities []int32 }
	return catalogue.store.transaction(ctx, func(tx pgx.Tx) error {
		released, err := all[reservation](ctx, tx,
			`INSERT INTO reservations (key, state, product_ids, quantities) VALUES ($1, 'released', '{}', '{}')
			 ON CONFLICT (key) DO UPDATE SET state = 'released' WHERE reservations.state = 'reserved'
			 RETURNING product_ids, quantities`, key)
		if err != nil || len(released) == 0 || len(released[0].ProductIDs) == 0 {
			return err
		}
		ids := released[0].ProductIDs
		if _, err = tx.Exec(ctx, "SELECT FROM products WHERE id = ANY($1) ORDER BY id FOR UPDATE", ids); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, moveStock+"+ quantity"+ofLines, ids, released[0].Quantities)
		return err
	})
}

// CountStock sets the stock of products as they were counted, all of them or none.
func (catalogue *Catalogue) CountStock(ctx context.Context, counts []*StockCount) (int32, error) {
	var ids, stocks []int32
	last := make(map[int32]int32, len(counts)) // a product that is counted twice
	for _, count := range counts {
		if err := check(count); err != nil {
			return 0, err
		}
		last[count.ProductID] = count.Stock
	}
	for id, stock := range last {
		ids, stocks = append(ids, id), append(stocks, stock)
	}
	return int32(len(counts)), catalogue.store.transaction(ctx, func(tx pgx.Tx) error {
		found, err := all[Product](ctx, tx, "SELECT id FROM products WHERE id = ANY($1) ORDER BY id FOR UPDATE", ids)
		if err == nil && len(found) < len(ids) {
			err = Refuse(NotFound, "%d of the products are none", len(ids)-len(found))
		}
		if err == nil {
			_, err = tx.Exec(ctx, "UPDATE products SET stock = quantity"+ofLines, ids, stocks)
		}
		return err
	})
}

// Quote says whether something can be had now, and for how much.
func (catalogue *Catalogue) Quote(ctx context.Context, wish WishInput) (*Quote, error) {
	if err := check(wish); err != nil {
		return nil, err
	}
	product, err := catalogue.Read(ctx, wish.ProductID)
	if err != nil {
		return nil, err
	}
	return &Quote{wish.ProductID, wish.Quantity, product.PriceCents, product.Stock >= wish.Quantity}, nil
}
