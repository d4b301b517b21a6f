package rpc

import (
	"context"
	"fmt"

	"wirelab.example/shop/shop"
	pb "wirelab.example/shop/shoppb"
)

type call[Asked, Answer any] func(context.Context, *Asked) (*Answer, error)

// Peer is another service, over gRPC or Connect; no call is tried twice.
type Peer struct {
	readUser        call[pb.Id, pb.User]
	resolveShipping call[pb.ShippingRequest, pb.Shipping]
	productsByID    call[pb.Ids, pb.ProductList]
	reserve         call[pb.Reservation, pb.Reserved]
	release         call[pb.ReleaseRequest, pb.ReleaseResponse]
	told            func(error) error
}

func (peer *Peer) Read(ctx context.Context, id int32) (*shop.User, error) {
	user, err := peer.readUser(ctx, &pb.Id{Id: id})
	if err != nil {
		return nil, peer.told(err)
	}
	made := &shop.User{ID: user.Id, Email: user.Email, Name: user.Name, RegisteredOn: user.RegisteredOn}
	for _, it := range user.Addresses {
		made.Addresses = append(made.Addresses, &shop.Address{
			ID: it.Id, Street: it.Street, City: it.City, PostalCode: it.PostalCode, Country: it.Country,
		})
	}
	return made, nil
}

func (peer *Peer) Shipping(ctx context.Context, token string, addressID int32) (*shop.Shipping, error) {
	shipping, err := peer.resolveShipping(ctx, &pb.ShippingRequest{Token: token, AddressId: addressID})
	if err != nil {
		return nil, peer.told(err)
	}
	return &shop.Shipping{UserID: shipping.UserId, ShipTo: shipping.ShipTo}, nil
}

func (peer *Peer) ByID(ctx context.Context, ids []int32) ([]*shop.Product, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	list, err := peer.productsByID(ctx, &pb.Ids{Ids: ids})
	if err != nil {
		return nil, peer.told(err)
	}
	products := make([]*shop.Product, len(list.Products))
	for i, it := range list.Products {
		products[i] = &shop.Product{
			ID: it.Id, Title: it.Title, Description: it.Description, PriceCents: it.PriceCents, Stock: it.Stock, Pictures: it.Pictures,
		}
	}
	return products, nil
}

func (peer *Peer) Reserve(ctx context.Context, key string, wishes shop.Wishes) ([]int32, error) {
	asked := &pb.Reservation{Key: key}
	for _, wish := range wishes.Lines {
		asked.Lines = append(asked.Lines, &pb.Wish{ProductId: wish.ProductID, Quantity: wish.Quantity})
	}
	reserved, err := peer.reserve(ctx, asked)
	if err != nil {
		return nil, peer.told(err)
	}
	if len(reserved.UnitPricesCents) != len(wishes.Lines) {
		return nil, fmt.Errorf("%d prices for %d lines", len(reserved.UnitPricesCents), len(wishes.Lines))
	}
	return reserved.UnitPricesCents, nil
}

func (peer *Peer) Release(ctx context.Context, key string) error {
	if _, err := peer.release(ctx, &pb.ReleaseRequest{Key: key}); err != nil {
		return peer.told(err)
	}
	return nil
}
