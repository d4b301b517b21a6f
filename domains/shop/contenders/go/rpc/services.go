// Package rpc is the shop as unary calls of shop.proto, the same for gRPC and for Connect, and what
// differs between the two.
package rpc

import (
	"context"

	"wirelab.example/shop/messages"
	"wirelab.example/shop/shop"
	pb "wirelab.example/shop/shoppb"
)

// made gives the message of an answer, if there is one.
func made[Value, Message any](value Value, err error, to func(Value) *Message) (*Message, error) {
	if err != nil {
		return nil, err
	}
	return to(value), nil
}

func id(number int32) *pb.Id { return &pb.Id{Id: number} }

type control struct{}

func (control) Ping(context.Context, *pb.PingRequest) (*pb.PingResponse, error) {
	return &pb.PingResponse{Status: "ok"}, nil
}

type catalogue struct{ *shop.Catalogue }

func (it catalogue) ListProducts(ctx context.Context, asked *pb.ListProductsRequest) (*pb.ProductList, error) {
	products, err := it.List(ctx, shop.Page{After: asked.After, Limit: asked.Limit})
	if err == nil && asked.IncludeReviews {
		err = it.WithReviews(ctx, products...)
	}
	return made(products, err, messages.Products)
}

func (it catalogue) ListSummaries(ctx context.Context, asked *pb.ListSummariesRequest) (*pb.SummaryList, error) {
	products, err := it.List(ctx, shop.Page{After: asked.After, Limit: asked.Limit})
	if err == nil {
		err = it.WithReviews(ctx, products...)
	}
	return made(products, err, messages.Summaries)
}

func (it catalogue) ReadProduct(ctx context.Context, asked *pb.ReadProductRequest) (*pb.Product, error) {
	product, err := it.Read(ctx, asked.Id)
	if err == nil && asked.IncludeReviews {
		err = it.WithReviews(ctx, product)
	}
	return made(product, err, messages.Product)
}

func (it catalogue) CreateProduct(ctx context.Context, asked *pb.CreateProductRequest) (*pb.Product, error) {
	product, err := it.Create(ctx, messages.ProductInput(asked.Product))
	return made(product, err, messages.Product)
}

func (it catalogue) UpdateProduct(ctx context.Context, asked *pb.UpdateProductRequest) (*pb.Product, error) {
	product, err := it.Update(ctx, asked.Id, messages.ProductInput(asked.Product))
	return made(product, err, messages.Product)
}

func (it catalogue) DeleteProduct(ctx context.Context, asked *pb.Id) (*pb.Id, error) {
	number, err := it.Delete(ctx, asked.Id)
	return made(number, err, id)
}

func (it catalogue) CreateReview(ctx context.Context, asked *pb.NewReview) (*pb.Review, error) {
	review, err := it.Catalogue.CreateReview(ctx, asked.ProductId, asked.UserId, messages.ReviewInput(asked.Review))
	return made(review, err, messages.Review)
}

func (it catalogue) ReadReview(ctx context.Context, asked *pb.Id) (*pb.Review, error) {
	review, err := it.Catalogue.ReadReview(ctx, asked.Id)
	return made(review, err, messages.Review)
}

func (it catalogue) UpdateReview(ctx context.Context, asked *pb.UpdateReviewRequest) (*pb.Review, error) {
	review, err := it.Catalogue.UpdateReview(ctx, asked.Id, messages.ReviewInput(asked.Review))
	return made(review, err, messages.Review)
}

func (it catalogue) DeleteReview(ctx context.Context, asked *pb.Id) (*pb.Id, error) {
	number, err := it.Catalogue.DeleteReview(ctx, asked.Id)
	return made(number, err, id)
}

func (it catalogue) ProductsById(ctx context.Context, asked *pb.Ids) (*pb.ProductList, error) {
	products, err := it.ByID(ctx, asked.Ids)
	return made(products, err, messages.Products)
}

func (it catalogue) Reserve(ctx context.Context, asked *pb.Reservation) (*pb.Reserved, error) {
	prices, err := it.Catalogue.Reserve(ctx, asked.Key, messages.Wishes(asked.Lines))
	return made(prices, err, func(prices []int32) *pb.Reserved { return &pb.Reserved{UnitPricesCents: prices} })
}

func (it catalogue) Release(ctx context.Context, asked *pb.ReleaseRequest) (*pb.ReleaseResponse, error) {
	err := it.Catalogue.Release(ctx, asked.Key)
	return made(err, err, func(error) *pb.ReleaseResponse { return &pb.ReleaseResponse{} })
}

// watch, count and quote are the streams, over whatever carries them.

func (it catalogue) watch(ctx context.Context, asked *pb.WatchRequest, send func(*pb.ProductEvent) error) error {
	return it.Watch(ctx, shop.Watch{After: asked.After, Count: asked.Count}, func(event *shop.ProductEvent) error {
		return send(messages.Event(event))
	})
}

// count asks for counts until there is none any more.
func (it catalogue) count(ctx context.Context, next func() (*pb.StockCount, error)) (*pb.StockSummary, error) {
	var counts []*shop.StockCount
	for {
		counted, err := next()
		if err != nil {
			return nil, err
		}
		if counted == nil {
			received, err := it.Catalogue.CountStock(ctx, counts)
			return made(received, err, func(received int32) *pb.StockSummary { return &pb.StockSummary{Received: received} })
		}
		counts = append(counts, &shop.StockCount{ProductID: counted.ProductId, Stock: counted.Stock})
	}
}

func (it catalogue) quote(ctx context.Context, wish *pb.Wish) (*pb.Quote, error) {
	quote, err := it.Quote(ctx, shop.WishInput{ProductID: wish.ProductId, Quantity: wish.Quantity})
	return made(quote, err, messages.Quote)
}

type users struct{ *shop.Users }

func (it users) Login(ctx context.Context, asked *pb.LoginRequest) (*pb.Session, error) {
	session, err := it.Users.Login(ctx, asked.UserId, asked.Password)
	return made(session, err, messages.Session)
}

func (it users) ReadUser(ctx context.Context, asked *pb.Id) (*pb.User, error) {
	user, err := it.Read(ctx, asked.Id)
	return made(user, err, messages.User)
}

func (it users) CreateUser(ctx context.Context, asked *pb.NewUser) (*pb.User, error) {
	user, err := it.Create(ctx, messages.NewUser(asked))
	return made(user, err, messages.User)
}

func (it users) UpdateUser(ctx context.Context, asked *pb.UpdateUserRequest) (*pb.User, error) {
	user, err := it.Update(ctx, asked.Id, messages.UserInput(asked.User))
	return made(user, err, messages.User)
}

func (it users) DeleteUser(ctx context.Context, asked *pb.Id) (*pb.Id, error) {
	number, err := it.Delete(ctx, asked.Id)
	return made(number, err, id)
}

func (it users) ResolveShipping(ctx context.Context, asked *pb.ShippingRequest) (*pb.Shipping, error) {
	shipping, err := it.Shipping(ctx, asked.Token, asked.AddressId)
	return made(shipping, err, messages.Shipping)
}

type orders struct{ *shop.Orders }

func (it orders) Checkout(ctx context.Context, asked *pb.CheckoutRequest) (*pb.Order, error) {
	order, err := it.Orders.Checkout(ctx, messages.Checkout(asked))
	return made(order, err, messages.Order)
}

func (it orders) ReadOrder(ctx context.Context, asked *pb.Id) (*pb.Order, error) {
	order, err := it.Read(ctx, asked.Id)
	return made(order, err, messages.Order)
}

func (it orders) UpdateOrder(ctx context.Context, asked *pb.UpdateOrderRequest) (*pb.Order, error) {
	order, err := it.Update(ctx, asked.Id, asked.Status)
	return made(order, err, messages.Order)
}

func (it orders) DeleteOrder(ctx context.Context, asked *pb.Id) (*pb.Id, error) {
	number, err := it.Delete(ctx, asked.Id)
	return made(number, err, id)
}

func (it orders) ListOrders(ctx context.Context, asked *pb.ListOrdersRequest) (*pb.OrderList, error) {
	list, err := it.List(ctx, asked.UserId, asked.Limit, asked.IncludeProducts)
	return made(list, err, messages.Orders)
}
