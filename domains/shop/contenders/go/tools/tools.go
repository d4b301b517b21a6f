package tools

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wirelab.example/shop/shop"
)

const usualLimit = 20

type status struct {
	Status string `json:"status"`
}
type byID struct {
	ID int32 `json:"id"`
}
type page struct {
	After int32  `json:"after,omitempty"`
	Limit *int32 `json:"limit,omitempty"`
}
type products struct {
	Products []*shop.Product `json:"products"`
}
type newProduct struct {
	Product shop.ProductInput `json:"product"`
}
type changedProduct struct {
	ID      int32             `json:"id"`
	Product shop.ProductInput `json:"product"`
}
type newReview struct {
	ProductID int32            `json:"productId"`
	UserID    int32            `json:"userId"`
	Review    shop.ReviewInput `json:"review"`
}
type changedReview struct {
	ID     int32            `json:"id"`
	Review shop.ReviewInput `json:"review"`
}
type login struct {
	UserID   int32  `json:"userId"`
	Password string `json:"password"`
}
type newUser struct {
	User shop.NewUser `json:"user"`
}
type changedUser struct {
	ID   int32          `json:"id"`
	User shop.UserInput `json:"user"`
}
type changedOrder struct {
	ID     int32  `json:"id"`
	Status string `json:"status"`
}
type ordersOf struct {
	UserID          int32  `json:"userId"`
	Limit           *int32 `json:"limit,omitempty"`
	IncludeProducts bool   `json:"includeProducts,omitempty"`
}
type orderList struct {
	Orders []*shop.Order `json:"orders"`
}

func limitOf(asked *int32) int32 {
	if asked == nil {
		return usualLimit
	}
	return *asked
}

// deleting answers the id that is free now.
func deleting(remove func(context.Context, int32) (int32, error)) func(context.Context, byID) (byID, error) {
	return func(ctx context.Context, asked byID) (byID, error) {
		id, err := remove(ctx, asked.ID)
		return byID{id}, err
	}
}

func productTools(server *mcp.Server, catalogue *shop.Catalogue) {
	add(server, "list_products", "List the products after an id, with their newest reviews", reads,
		func(ctx context.Context, asked page) (products, error) {
			found, err := catalogue.List(ctx, shop.Page{After: asked.After, Limit: limitOf(asked.Limit)})
			if err == nil {
				err = catalogue.WithReviews(ctx, found...)
			}
			return products{found}, err
		})
	add(server, "read_product", "Read a product with its newest reviews", reads,
		func(ctx context.Context, asked byID) (*shop.Product, error) {
			product, err := catalogue.Read(ctx, asked.ID)
			if err == nil {
				err = catalogue.WithReviews(ctx, product)
			}
			return product, err
		})
	add(server, "create_product", "Add a product", writes,
		func(ctx context.Context, asked newProduct) (*shop.Product, error) {
			return catalogue.Create(ctx, asked.Product)
		})
	add(server, "update_product", "Replace every field of a product", writes,
		func(ctx context.Context, asked changedProduct) (*shop.Product, error) {
			return catalogue.Update(ctx, asked.ID, asked.Product)
		})
	add(server, "delete_product", "Remove a product and its reviews", writes, deleting(catalogue.Delete))
}

func reviewTools(server *mcp.Server, catalogue *shop.Catalogue) {
	add(server, "create_review", "Add a review of a product by a user", writes,
		func(ctx context.Context, asked newReview) (*shop.Review, error) {
			return catalogue.CreateReview(ctx, asked.ProductID, asked.UserID, asked.Review)
		})
	add(server, "read_review", "Read a review", reads,
		func(ctx context.Context, asked byID) (*shop.Review, error) {
			return catalogue.ReadReview(ctx, asked.ID)
		})
	add(server, "update_review", "Change the rating, the headline and the text of a review", writes,
		func(ctx context.Context, asked changedReview) (*shop.Review, error) {
			return catalogue.UpdateReview(ctx, asked.ID, asked.Review)
		})
	add(server, "delete_review", "Remove a review", writes, deleting(catalogue.DeleteReview))
}

func userTools(server *mcp.Server, users *shop.Users) {
	add(server, "login", "Check a password; the token is for checkouts", reads,
		func(ctx context.Context, asked login) (*shop.Session, error) {
			return users.Login(ctx, asked.UserID, asked.Password)
		})
	add(server, "read_user", "Read a user with all addresses", reads,
		func(ctx context.Context, asked byID) (*shop.User, error) {
			return users.Read(ctx, asked.ID)
		})
	add(server, "create_user", "Add a user with one address", writes,
		func(ctx context.Context, asked newUser) (*shop.User, error) {
			return users.Create(ctx, asked.User)
		})
	add(server, "update_user", "Change the email address and the name of a user", writes,
		func(ctx context.Context, asked changedUser) (*shop.User, error) {
			return users.Update(ctx, asked.ID, asked.User)
		})
	add(server, "delete_user", "Remove a user and the addresses", writes, deleting(users.Delete))
}

func orderTools(server *mcp.Server, orders *shop.Orders) {
	add(server, "checkout", "Order products: reserve the stock, take the payment, write the order, or nothing", writes,
		func(ctx context.Context, asked shop.CheckoutInput) (*shop.Order, error) {
			return orders.Checkout(ctx, asked)
		})
	add(server, "read_order", "Read an order with its lines and payment", reads,
		func(ctx context.Context, asked byID) (*shop.Order, error) {
			return orders.Read(ctx, asked.ID)
		})
	add(server, "update_order", "Say what has become of an order", writes,
		func(ctx context.Context, asked changedOrder) (*shop.Order, error) {
			return orders.Update(ctx, asked.ID, asked.Status)
		})
	add(server, "delete_order", "Remove an order, its lines and its payment", writes, deleting(orders.Delete))
	add(server, "list_orders", "List the newest orders of a user, if wanted with their products", reads,
		func(ctx context.Context, asked ordersOf) (orderList, error) {
			found, err := orders.List(ctx, asked.UserID, limitOf(asked.Limit), asked.IncludeProducts)
			return orderList{found}, err
		})
}
