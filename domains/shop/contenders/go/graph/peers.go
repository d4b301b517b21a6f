package graph

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strconv"
	"time"

	"wirelab.example/shop/shop"
)

const connectionsPerPeer = 10

// Peer is another service: a pool of connections that are kept, no retries, what is left of the
// deadline in each request.
type Peer struct {
	url    string
	client *http.Client
}

// NewPeer gives the service at HOST:PORT.
func NewPeer(address string) *Peer {
	return &Peer{"http://" + address + "/graphql", &http.Client{Transport: &http.Transport{
		DialContext:         (&net.Dialer{Timeout: time.Second}).DialContext,
		MaxConnsPerHost:     connectionsPerPeer,
		MaxIdleConnsPerHost: connectionsPerPeer,
	}}}
}

const (
	readUser = `query($id: Int!) { user(id: $id) {
		id email name registeredOn addresses { id street city postalCode country } } }`
	resolveShipping = `query($token: String!, $addressId: Int!) { shipping(token: $token, addressId: $addressId) { userId shipTo } }`
	productsByID    = `query($ids: [Int!]!) { productsById(ids: $ids) { id title description priceCents stock pictures } }`
	reserve         = `mutation($key: String!, $lines: [WishInput!]!) { reserve(key: $key, lines: $lines) }`
	release         = `mutation($key: String!) { release(key: $key) }`
)

type variables map[string]any

func (peer *Peer) Read(ctx context.Context, id int32) (*shop.User, error) {
	data, err := call[struct{ User *shop.User }](ctx, peer, readUser, variables{"id": id})
	return data.User, err
}

func (peer *Peer) Shipping(ctx context.Context, token string, addressID int32) (*shop.Shipping, error) {
	data, err := call[struct{ Shipping *shop.Shipping }](ctx, peer, resolveShipping, variables{"token": token, "addressId": addressID})
	return data.Shipping, err
}

func (peer *Peer) ByID(ctx context.Context, ids []int32) ([]*shop.Product, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	data, err := call[struct{ ProductsByID []*shop.Product }](ctx, peer, productsByID, variables{"ids": ids})
	return data.ProductsByID, err
}

func (peer *Peer) Reserve(ctx context.Context, key string, wishes shop.Wishes) ([]int32, error) {
	data, err := call[struct{ Reserve []int32 }](ctx, peer, reserve, variables{"key": key, "lines": wishes.Lines})
	return data.Reserve, err
}

func (peer *Peer) Release(ctx context.Context, key string) error {
	_, err := call[struct{ Release bool }](ctx, peer, release, variables{"key": key})
	return err
}

func call[Data any](ctx context.Context, peer *Peer, query string, given variables) (Data, error) {
	var answered struct {
		Data   Data
		Errors []struct {
			Message    string
			Extensions struct{ Code, Reason string }
		}
	}
	text, err := json.Marshal(map[string]any{"query": query, "variables": given})
	if err != nil {
		return answered.Data, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, peer.url, bytes.NewReader(text))
	if err != nil {
		return answered.Data, err
	}
	request.GetBody = nil // so that net/http sends nothing twice
	request.Header.Set("Content-Type", "application/json")
	if until, ok := ctx.Deadline(); ok {
		request.Header.Set(timeoutHeader, strconv.FormatInt(max(1, time.Until(until).Milliseconds()), 10))
	}
	response, err := peer.client.Do(request)
	if errors.Is(err, context.DeadlineExceeded) {
		return answered.Data, err
	} else if err != nil {
		return answered.Data, shop.Refuse(shop.Unavailable, "another service does not answer")
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&answered); err != nil {
		return answered.Data, err
	}
	for _, said := range answered.Errors {
		kind := shop.Kind(said.Extensions.Reason)
		if _, known := codes[kind]; !known || kind == shop.Internal {
			return answered.Data, shop.Refuse(shop.Unavailable, "another service has failed")
		}
		return answered.Data, shop.Refuse(kind, "%s", said.Message)
	}
	return answered.Data, nil
}
