package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"wirelab.example/shop/shop"
)

const connectionsPerPeer = 10

// Peer is another service: a pool of connections that are kept, no retries, what is left of the
// deadline in each request.
type Peer struct {
	base   string
	client *http.Client
}

// NewPeer gives the service at HOST:PORT.
func NewPeer(address string) *Peer {
	transport := &http.Transport{
		DialContext:         (&net.Dialer{Timeout: time.Second}).DialContext,
		MaxConnsPerHost:     connectionsPerPeer,
		MaxIdleConnsPerHost: connectionsPerPeer,
	}
	return &Peer{"http://" + address, &http.Client{Transport: transport}}
}

func (peer *Peer) Read(ctx context.Context, id int32) (*shop.User, error) {
	user := &shop.User{}
	return user, peer.call(ctx, http.MethodGet, fmt.Sprintf("/users/%d", id), nil, user)
}

func (peer *Peer) Shipping(ctx context.Context, token string, addressID int32) (*shop.Shipping, error) {
	shipping := &shop.Shipping{}
	return shipping, peer.call(ctx, http.MethodPost, "/shipping", shippingRequest{token, addressID}, shipping)
}

func (peer *Peer) ByID(ctx context.Context, ids []int32) ([]*shop.Product, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var list productList
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = strconv.Itoa(int(id))
	}
	err := peer.call(ctx, http.MethodGet, "/products?ids="+strings.Join(names, ","), nil, &list)
	return list.Products, err
}

func (peer *Peer) Reserve(ctx context.Context, key string, wishes shop.Wishes) ([]int32, error) {
	var prices reserved
	err := peer.call(ctx, http.MethodPut, "/reservations/"+url.PathEscape(key), wishes, &prices)
	return prices.UnitPricesCents, err
}

func (peer *Peer) Release(ctx context.Context, key string) error {
	return peer.call(ctx, http.MethodDelete, "/reservations/"+url.PathEscape(key), nil, &struct{}{})
}

func (peer *Peer) call(ctx context.Context, method, path string, asked, answered any) error {
	var text []byte
	if asked != nil {
		var err error
		if text, err = json.Marshal(asked); err != nil {
			return err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, peer.base+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	request.GetBody = nil // so that net/http sends nothing twice
	request.Header.Set("Accept", "application/json")
	if asked != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if until, ok := ctx.Deadline(); ok {
		request.Header.Set(timeoutHeader, strconv.FormatInt(max(1, time.Until(until).Milliseconds()), 10))
	}
	response, err := peer.client.Do(request)
	if errors.Is(err, context.DeadlineExceeded) {
		return err
	} else if err != nil {
		return shop.Refuse(shop.Unavailable, "another service does not answer")
	}
	defer response.Body.Close()
	decoder := json.NewDecoder(response.Body)
	if response.StatusCode < http.StatusBadRequest {
		return decoder.Decode(answered)
	}
	var said problem
	if err := decoder.Decode(&said); err != nil {
		return err
	}
	for kind, status := range statuses {
		if status == response.StatusCode && kind != shop.Internal {
			return shop.Refuse(kind, "%s", said.Detail)
		}
	}
	return shop.Refuse(shop.Unavailable, "another service has failed")
}
