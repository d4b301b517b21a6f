package rpc

import (
	"context"
	"errors"
	"io"
	"net/http"

	"connectrpc.com/connect"
	"connectrpc.com/grpcreflect"

	"wirelab.example/shop/shop"
	pb "wirelab.example/shop/shoppb"
	"wirelab.example/shop/shoppb/shoppbconnect"
)

func connectError(err error) error {
	var ours *connect.Error
	if err == nil || errors.As(err, &ours) {
		return err
	}
	told := shop.Told(err)
	return connect.NewError(connect.Code(grpcCodes[told.Kind]), errors.New(told.Detail)) // the numbers are the same
}

// refusals gives what goes wrong its code, in unary calls and in streams.
type refusals struct{}

func (refusals) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, asked connect.AnyRequest) (connect.AnyResponse, error) {
		answer, err := next(ctx, asked)
		return answer, connectError(err)
	}
}

func (refusals) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

func (refusals) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, stream connect.StreamingHandlerConn) error {
		return connectError(next(ctx, stream))
	}
}

type connectCatalogue struct{ catalogue }

func (it connectCatalogue) WatchProducts(ctx context.Context, asked *pb.WatchRequest, stream *connect.ServerStream[pb.ProductEvent]) error {
	return it.watch(ctx, asked, stream.Send)
}

func (it connectCatalogue) CountStock(ctx context.Context, stream *connect.ClientStream[pb.StockCount]) (*pb.StockSummary, error) {
	return it.count(ctx, func() (*pb.StockCount, error) {
		if stream.Receive() {
			return stream.Msg(), nil
		}
		return nil, stream.Err()
	})
}

func (it connectCatalogue) QuoteWishes(ctx context.Context, stream *connect.BidiStream[pb.Wish, pb.Quote]) error {
	for {
		wish, err := stream.Receive()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var quote *pb.Quote
		if err == nil {
			quote, err = it.quote(ctx, wish)
		}
		if err == nil {
			err = stream.Send(quote)
		}
		if err != nil {
			return err
		}
	}
}

// Handler answers Connect, gRPC and gRPC-Web, of the services that this program serves.
func Handler(it *shop.Shop, compressed bool) http.Handler {
	options := []connect.HandlerOption{connect.WithInterceptors(refusals{})}
	if !compressed {
		options = append(options, connect.WithCompression("gzip", nil, nil))
	}
	mux := http.NewServeMux()
	mux.Handle(shoppbconnect.NewControlHandler(control{}, options...))
	names := []string{shoppbconnect.ControlName}
	if it.Catalogue != nil {
		mux.Handle(shoppbconnect.NewCatalogueHandler(connectCatalogue{catalogue{it.Catalogue}}, options...))
		names = append(names, shoppbconnect.CatalogueName)
	}
	if it.Users != nil {
		mux.Handle(shoppbconnect.NewUsersHandler(users{it.Users}, options...))
		names = append(names, shoppbconnect.UsersName)
	}
	if it.Orders != nil {
		mux.Handle(shoppbconnect.NewOrdersHandler(orders{it.Orders}, options...))
		names = append(names, shoppbconnect.OrdersName)
	}
	reflector := grpcreflect.NewStaticReflector(names...)
	mux.Handle(grpcreflect.NewHandlerV1(reflector))
	mux.Handle(grpcreflect.NewHandlerV1Alpha(reflector))
	return mux
}

// NewConnectPeer gives the service at HOST:PORT: the Connect protocol on HTTP/2 over one connection.
func NewConnectPeer(address string) *Peer {
	protocols := &http.Protocols{}
	protocols.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: &http.Transport{Protocols: protocols}}
	base := "http://" + address
	catalogue, users := shoppbconnect.NewCatalogueClient(client, base), shoppbconnect.NewUsersClient(client, base)
	return &Peer{
		readUser:        users.ReadUser,
		resolveShipping: users.ResolveShipping,
		productsByID:    catalogue.ProductsById,
		reserve:         catalogue.Reserve,
		release:         catalogue.Release,
		told: func(err error) error {
			code := connect.CodeOf(err)
			for kind, known := range grpcCodes {
				if connect.Code(known) == code && kind != shop.Internal && kind != shop.PaymentRefused {
					return shop.Refuse(kind, "%v", err)
				}
			}
			return shop.Refuse(shop.Unavailable, "another service has failed")
		},
	}
}
