// Package graph is the shop as GraphQL: gqlgen makes generated.go of the schema when the stack is built.
package graph

import (
	"context"

	"wirelab.example/shop/shop"
)

// Resolver is where gqlgen finds the resolvers of each type.
type Resolver struct{ shop *shop.Shop }

type (
	queries       struct{ *Resolver }
	mutations     struct{ *Resolver }
	subscriptions struct{ *Resolver }
	product       struct{}
	user          struct{}
	order         struct{}
	orderLine     struct{}
)

func (it *Resolver) Query() QueryResolver               { return queries{it} }
func (it *Resolver) Mutation() MutationResolver         { return mutations{it} }
func (it *Resolver) Subscription() SubscriptionResolver { return subscriptions{it} }
func (it *Resolver) Product() ProductResolver           { return product{} }
func (it *Resolver) User() UserResolver                 { return user{} }
func (it *Resolver) Order() OrderResolver               { return order{} }
func (it *Resolver) OrderLine() OrderLineResolver       { return orderLine{} }

// served asks a service that this program may not serve.
func served[Service, Value any](service *Service, ask func(*Service) (Value, error)) (Value, error) {
	if service == nil {
		var none Value
		return none, shop.NotServed()
	}
	return ask(service)
}

// optional gives the address of a value that there is.
func optional[Value any](value Value, err error) (*Value, error) {
	if err != nil {
		return nil, err
	}
	return &value, nil
}

func (product) Reviews(ctx context.Context, it *shop.Product, first int32) ([]*shop.Review, error) {
	return by(ctx, loadersOf(ctx).reviews, some{it.ID, first})
}

func (user) Orders(ctx context.Context, it *shop.User, first int32) ([]*shop.Order, error) {
	return by(ctx, loadersOf(ctx).orders, some{it.ID, first})
}

func (order) Lines(ctx context.Context, it *shop.Order) ([]*shop.OrderLine, error) {
	if it.Lines != nil {
		return it.Lines, nil // of a checkout
	}
	return by(ctx, loadersOf(ctx).lines, it.ID)
}

func (orderLine) Product(ctx context.Context, it *shop.OrderLine) (*shop.Product, error) {
	return by(ctx, loadersOf(ctx).product, it.ProductID)
}

func (queries) Ping(context.Context) (string, error) { return "ok", nil }

func (it queries) Products(ctx context.Context, after, first int32) ([]*shop.Product, error) {
	return served(it.shop.Catalogue, func(catalogue *shop.Catalogue) ([]*shop.Product, error) {
		return catalogue.List(ctx, shop.Page{After: after, Limit: first})
	})
}

func (it queries) ProductsByID(ctx context.Context, ids []int32) ([]*shop.Product, error) {
	return served(it.shop.Catalogue, func(catalogue *shop.Catalogue) ([]*shop.Product, error) { return catalogue.ByID(ctx, ids) })
}

func (it queries) Product(ctx context.Context, id int32) (*shop.Product, error) {
	return served(it.shop.Catalogue, func(catalogue *shop.Catalogue) (*shop.Product, error) { return catalogue.Read(ctx, id) })
}

func (it queries) Review(ctx context.Context, id int32) (*shop.Review, error) {
	return served(it.shop.Catalogue, func(catalogue *shop.Catalogue) (*shop.Review, error) { return catalogue.ReadReview(ctx, id) })
}

func (it queries) User(ctx context.Context, id int32) (*shop.User, error) {
	if it.shop.AnyUsers == nil {
		return nil, shop.NotServed()
	}
	return it.shop.AnyUsers.Read(ctx, id)
}

func (it queries) Order(ctx context.Context, id int32) (*shop.Order, error) {
	return served(it.shop.Orders, func(orders *shop.Orders) (*shop.Order, error) { return orders.Head(ctx, id) })
}

func (it queries) Shipping(ctx context.Context, token string, addressID int32) (*shop.Shipping, error) {
	return served(it.shop.Users, func(users *shop.Users) (*shop.Shipping, error) { return users.Shipping(ctx, token, addressID) })
}

func (it mutations) CreateProduct(ctx context.Context, input shop.ProductInput) (*shop.Product, error) {
	return served(it.shop.Catalogue, func(catalogue *shop.Catalogue) (*shop.Product, error) { return catalogue.Create(ctx, input) })
}

func (it mutations) UpdateProduct(ctx context.Context, id int32, input shop.ProductInput) (*shop.Product, error) {
	return served(it.shop.Catalogue, func(catalogue *shop.Catalogue) (*shop.Product, error) { return catalogue.Update(ctx, id, input) })
}

func (it mutations) DeleteProduct(ctx context.Context, id int32) (*int32, error) {
	return served(it.shop.Catalogue, func(catalogue *shop.Catalogue) (*int32, error) { return optional(catalogue.Delete(ctx, id)) })
}

func (it mutations) CreateReview(ctx context.Context, productID, userID int32, review shop.ReviewInput) (*shop.Review, error) {
	return served(it.shop.Catalogue, func(catalogue *shop.Catalogue) (*shop.Review, error) {
		return catalogue.CreateReview(ctx, productID, userID, review)
	})
}

func (it mutations) UpdateReview(ctx context.Context, id int32, review shop.ReviewInput) (*shop.Review, error) {
	return served(it.shop.Catalogue, func(catalogue *shop.Catalogue) (*shop.Review, error) { return catalogue.UpdateReview(ctx, id, review) })
}

func (it mutations) DeleteReview(ctx context.Context, id int32) (*int32, error) {
	return served(it.shop.Catalogue, func(catalogue *shop.Catalogue) (*int32, error) { return optional(catalogue.DeleteReview(ctx, id)) })
}

func (it mutations) Login(ctx context.Context, userID int32, password string) (*shop.Session, error) {
	return served(it.shop.Users, func(users *shop.Users) (*shop.Session, error) { return users.Login(ctx, userID, password) })
}

func (it mutations) CreateUser(ctx context.Context, input shop.NewUser) (*shop.User, error) {
	return served(it.shop.Users, func(users *shop.Users) (*shop.User, error) { return users.Create(ctx, input) })
}

func (it mutations) UpdateUser(ctx context.Context, id int32, input shop.UserInput) (*shop.User, error) {
	return served(it.shop.Users, func(users *shop.Users) (*shop.User, error) { return users.Update(ctx, id, input) })
}

func (it mutations) DeleteUser(ctx context.Context, id int32) (*int32, error) {
	return served(it.shop.Users, func(users *shop.Users) (*int32, error) { return optional(users.Delete(ctx, id)) })
}

func (it mutations) Checkout(ctx context.Context, input shop.CheckoutInput) (*shop.Order, error) {
	return served(it.shop.Orders, func(orders *shop.Orders) (*shop.Order, error) { return orders.Checkout(ctx, input) })
}

func (it mutations) UpdateOrder(ctx context.Context, id int32, status string) (*shop.Order, error) {
	return served(it.shop.Orders, func(orders *shop.Orders) (*shop.Order, error) { return orders.Update(ctx, id, status) })
}

func (it mutations) DeleteOrder(ctx context.Context, id int32) (*int32, error) {
	return served(it.shop.Orders, func(orders *shop.Orders) (*int32, error) { return optional(orders.Delete(ctx, id)) })
}

func (it mutations) Reserve(ctx context.Context, key string, lines []*shop.WishInput) ([]int32, error) {
	return served(it.shop.Catalogue, func(catalogue *shop.Catalogue) ([]int32, error) {
		return catalogue.Reserve(ctx, key, shop.Wishes{Lines: lines})
	})
}

func (it mutations) Release(ctx context.Context, key string) (*bool, error) {
	return served(it.shop.Catalogue, func(catalogue *shop.Catalogue) (*bool, error) {
		return optional(true, catalogue.Release(ctx, key))
	})
}

// ProductEvents sends until there were so many; a client that has gone ends it.
func (it subscriptions) ProductEvents(ctx context.Context, after, count int32) (<-chan *shop.ProductEvent, error) {
	return served(it.shop.Catalogue, func(catalogue *shop.Catalogue) (<-chan *shop.ProductEvent, error) {
		watch := shop.Watch{After: after, Count: count}
		if err := watch.Check(); err != nil {
			return nil, err
		}
		events := make(chan *shop.ProductEvent)
		go func() {
			defer close(events)
			err := catalogue.Watch(ctx, watch, func(event *shop.ProductEvent) error {
				select {
				case events <- event:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			})
			if err != nil && ctx.Err() == nil {
				shop.Told(err) // it goes to the log
			}
		}()
		return events, nil
	})
}
