package shop

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// ReviewsShown is how many reviews come with a product.
const ReviewsShown = 5

// Catalogue is the service of the catalogue over its store.
type Catalogue struct {
	store *Store
	users UserService
	news  news
}

const (
	productColumns = "id, title, description, price_cents, stock, pictures"
	reviewColumns  = "id, product_id, user_id, rating, headline, body, written_on::text"
)

func (catalogue *Catalogue) List(ctx context.Context, page Page) ([]*Product, error) {
	if err := check(page); err != nil {
		return nil, err
	}
	return all[Product](ctx, catalogue.store,
		"SELECT "+productColumns+" FROM products WHERE id > $1 ORDER BY id LIMIT $2", page.After, page.Limit)
}

func (catalogue *Catalogue) ByID(ctx context.Context, ids []int32) ([]*Product, error) {
	return all[Product](ctx, catalogue.store,
		"SELECT "+productColumns+" FROM products WHERE id = ANY($1) ORDER BY id", ids)
}

func (catalogue *Catalogue) Read(ctx context.Context, id int32) (*Product, error) {
	return one[Product](ctx, catalogue.store, "product", "SELECT "+productColumns+" FROM products WHERE id = $1", id)
}

// WithReviews puts the newest reviews into products, by one statement for all of them.
func (catalogue *Catalogue) WithReviews(ctx context.Context, products ...*Product) error {
	ids := make([]int32, len(products))
	for i, product := range products {
		ids[i] = product.ID
	}
	reviews, err := catalogue.ReviewsOf(ctx, ids, ReviewsShown)
	for i := range reviews {
		products[i].Reviews = reviews[i]
	}
	return err
}

func (catalogue *Catalogue) Create(ctx context.Context, input ProductInput) (*Product, error) {
	if err := check(input); err != nil {
		return nil, err
	}
	return catalogue.change(ctx, "created",
		"INSERT INTO products (title, description, price_cents, stock, pictures) VALUES ($1, $2, $3, $4, $5) RETURNING "+productColumns,
		input.Title, input.Description, input.PriceCents, input.Stock, pictures(input))
}

func (catalogue *Catalogue) Update(ctx context.Context, id int32, input ProductInput) (*Product, error) {
	if err := check(input); err != nil {
		return nil, err
	}
	return catalogue.change(ctx, "changed",
		"UPDATE products SET title = $2, description = $3, price_cents = $4, stock = $5, pictures = $6 WHERE id = $1 RETURNING "+productColumns,
		id, input.Title, input.Description, input.PriceCents, input.Stock, pictures(input))
}

func (catalogue *Catalogue) Delete(ctx context.Context, id int32) (int32, error) {
	_, err := catalogue.change(ctx, "deleted", "DELETE FROM products WHERE id = $1 RETURNING "+productColumns, id)
	return id, err
}

// change carries out a statement about one product and adds what happened to the events.
func (catalogue *Catalogue) change(ctx context.Context, kind, sql string, arguments ...any) (*Product, error) {
	var product *Product
	err := catalogue.store.transaction(ctx, func(tx pgx.Tx) (err error) {
		if product, err = one[Product](ctx, tx, "product", sql, arguments...); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, addEvent, product.ID, kind, product.PriceCents, product.Stock)
		return err
	})
	if err == nil {
		catalogue.news.tell()
	}
	return product, err
}

func pictures(input ProductInput) []string {
	if input.Pictures == nil {
		return []string{}
	}
	return input.Pictures
}

// ReviewsOf gives the newest reviews of each product, as many lists as there are products.
func (catalogue *Catalogue) ReviewsOf(ctx context.Context, products []int32, limit int32) ([][]*Review, error) {
	if err := check(Page{Limit: limit}); err != nil {
		return nil, err
	}
	reviews, err := all[Review](ctx, catalogue.store,
		`SELECT review.* FROM unnest($1::int[]) AS product (id) CROSS JOIN LATERAL
		 (SELECT `+reviewColumns+` FROM reviews WHERE product_id = product.id ORDER BY id DESC LIMIT $2) AS review`,
		products, limit)
	return grouped(products, reviews, func(review *Review) int32 { return review.ProductID }), err
}

func (catalogue *Catalogue) ReadReview(ctx context.Context, id int32) (*Review, error) {
	return one[Review](ctx, catalogue.store, "review", "SELECT "+reviewColumns+" FROM reviews WHERE id = $1", id)
}

// CreateReview asks the service of users whether there is the user.
func (catalogue *Catalogue) CreateReview(ctx context.Context, productID, userID int32, input ReviewInput) (*Review, error) {
	if err := check(input); err != nil {
		return nil, err
	}
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	if _, err := catalogue.users.Read(ctx, userID); err != nil {
		return nil, err
	}
	return one[Review](ctx, catalogue.store, "product",
		`INSERT INTO reviews (product_id, user_id, rating, headline, body)
		 SELECT id, $2, $3, $4, $5 FROM products WHERE id = $1 FOR KEY SHARE RETURNING `+reviewColumns,
		productID, userID, input.Rating, input.Headline, input.Body)
}

func (catalogue *Catalogue) UpdateReview(ctx context.Context, id int32, input ReviewInput) (*Review, error) {
	if err := check(input); err != nil {
		return nil, err
	}
	return one[Review](ctx, catalogue.store, "review",
		"UPDATE reviews SET rating = $2, headline = $3, body = $4 WHERE id = $1 RETURNING "+reviewColumns,
		id, input.Rating, input.Headline, input.Body)
}

func (catalogue *Catalogue) DeleteReview(ctx context.Context, id int32) (int32, error) {
	return scalar[int32](ctx, catalogue.store, "review", "DELETE FROM reviews WHERE id = $1 RETURNING id", id)
}
