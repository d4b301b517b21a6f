// Package messages makes messages of shop.proto of what the shop answers, and the other way round: for
// gRPC, for Connect, and for REST where a client wants them.
package messages

import (
	"wirelab.example/shop/shop"
	"wirelab.example/shop/shoppb"
)

func each[From, To any](list []From, to func(From) To) []To {
	made := make([]To, len(list))
	for i, it := range list {
		made[i] = to(it)
	}
	return made
}

func Product(it *shop.Product) *shoppb.Product {
	return &shoppb.Product{
		Id: it.ID, Title: it.Title, Description: it.Description, PriceCents: it.PriceCents, Stock: it.Stock,
		Pictures: it.Pictures, Reviews: Reviews(it.Reviews),
	}
}

func Products(list []*shop.Product) *shoppb.ProductList {
	return &shoppb.ProductList{Products: each(list, Product)}
}

func Summaries(list []*shop.Product) *shoppb.SummaryList {
	return &shoppb.SummaryList{Products: each(list, func(it *shop.Product) *shoppb.ProductSummary {
		return &shoppb.ProductSummary{
			Id: it.ID, Title: it.Title, PriceCents: it.PriceCents, Stock: it.Stock,
			Reviews: each(it.Reviews, func(it *shop.Review) *shoppb.ReviewSummary {
				return &shoppb.ReviewSummary{Rating: it.Rating, Headline: it.Headline}
			}),
		}
	})}
}

func Review(it *shop.Review) *shoppb.Review {
	return &shoppb.Review{
		Id: it.ID, ProductId: it.ProductID, UserId: it.UserID, Rating: it.Rating,
		Headline: it.Headline, Body: it.Body, WrittenOn: it.WrittenOn,
	}
}

func Reviews(list []*shop.Review) []*shoppb.Review { return each(list, Review) }

func User(it *shop.User) *shoppb.User {
	return &shoppb.User{
		Id: it.ID, Email: it.Email, Name: it.Name, RegisteredOn: it.RegisteredOn,
		Addresses: each(it.Addresses, func(it *shop.Address) *shoppb.Address {
			return &shoppb.Address{Id: it.ID, Street: it.Street, City: it.City, PostalCode: it.PostalCode, Country: it.Country}
		}),
	}
}

func Session(it *shop.Session) *shoppb.Session {
	return &shoppb.Session{UserId: it.UserID, Name: it.Name, Token: it.Token}
}

func Shipping(it *shop.Shipping) *shoppb.Shipping {
	return &shoppb.Shipping{UserId: it.UserID, ShipTo: it.ShipTo}
}

func Order(it *shop.Order) *shoppb.Order {
	payment := it.Payment
	return &shoppb.Order{
		Id: it.ID, UserId: it.UserID, PlacedOn: it.PlacedOn, Status: it.Status, TotalCents: it.TotalCents, ShipTo: it.ShipTo,
		Payment: &shoppb.Payment{AmountCents: payment.AmountCents, CardEnding: payment.CardEnding, PaidOn: payment.PaidOn},
		Lines: each(it.Lines, func(line *shop.OrderLine) *shoppb.OrderLine {
			made := &shoppb.OrderLine{ProductId: line.ProductID, Quantity: line.Quantity, UnitPriceCents: line.UnitPriceCents}
			if line.Product != nil {
				made.Product = Product(line.Product)
			}
			return made
		}),
	}
}

func Orders(list []*shop.Order) *shoppb.OrderList {
	return &shoppb.OrderList{Orders: each(list, Order)}
}

func Event(it *shop.ProductEvent) *shoppb.ProductEvent {
	return &shoppb.ProductEvent{Id: it.ID, ProductId: it.ProductID, Kind: it.Kind, PriceCents: it.PriceCents, Stock: it.Stock}
}

func Quote(it *shop.Quote) *shoppb.Quote {
	return &shoppb.Quote{ProductId: it.ProductID, Quantity: it.Quantity, UnitPriceCents: it.UnitPriceCents, Available: it.Available}
}

func ProductInput(it *shoppb.ProductInput) shop.ProductInput {
	return shop.ProductInput{
		Title: it.GetTitle(), Description: it.GetDescription(), PriceCents: it.GetPriceCents(), Stock: it.GetStock(),
		Pictures: it.GetPictures(),
	}
}

func ReviewInput(it *shoppb.ReviewInput) shop.ReviewInput {
	return shop.ReviewInput{Rating: it.GetRating(), Headline: it.GetHeadline(), Body: it.GetBody()}
}

func NewUser(it *shoppb.NewUser) shop.NewUser {
	address := it.GetAddress()
	return shop.NewUser{
		Email: it.Email, Name: it.Name, Password: it.Password,
		Address: shop.AddressInput{
			Street: address.GetStreet(), City: address.GetCity(), PostalCode: address.GetPostalCode(), Country: address.GetCountry(),
		},
	}
}

func UserInput(it *shoppb.UserInput) shop.UserInput {
	return shop.UserInput{Email: it.GetEmail(), Name: it.GetName()}
}

func Wishes(list []*shoppb.Wish) shop.Wishes {
	return shop.Wishes{Lines: each(list, func(it *shoppb.Wish) *shop.WishInput {
		return &shop.WishInput{ProductID: it.ProductId, Quantity: it.Quantity}
	})}
}

func Checkout(it *shoppb.CheckoutRequest) shop.CheckoutInput {
	return shop.CheckoutInput{
		Token: it.Token, AddressID: it.AddressId, Lines: Wishes(it.Lines).Lines, CardNumber: it.CardNumber,
		IdempotencyKey: &it.IdempotencyKey,
	}
}
