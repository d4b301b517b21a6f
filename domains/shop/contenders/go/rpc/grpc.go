package rpc

import (
	"context"
	"errors"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"

	"wirelab.example/shop/shop"
	pb "wirelab.example/shop/shoppb"
)

var grpcCodes = map[shop.Kind]codes.Code{
	shop.NotFound:        codes.NotFound,
	shop.Invalid:         codes.InvalidArgument,
	shop.Unauthenticated: codes.Unauthenticated,
	shop.OutOfStock:      codes.FailedPrecondition,
	shop.PaymentRefused:  codes.FailedPrecondition,
	shop.Unavailable:     codes.Unavailable,
	shop.TooLate:         codes.DeadlineExceeded,
	shop.Internal:        codes.Internal,
}

func grpcError(err error) error {
	if _, ours := status.FromError(err); err == nil || ours {
		return err
	}
	told := shop.Told(err)
	return status.Error(grpcCodes[told.Kind], told.Detail)
}

type grpcControl struct {
	pb.UnimplementedControlServer
	control
}

func (it grpcControl) Ping(ctx context.Context, asked *pb.PingRequest) (*pb.PingResponse, error) {
	return it.control.Ping(ctx, asked)
}

type grpcCatalogue struct {
	pb.UnsafeCatalogueServer
	catalogue
}

func (it grpcCatalogue) WatchProducts(asked *pb.WatchRequest, stream grpc.ServerStreamingServer[pb.ProductEvent]) error {
	return it.watch(stream.Context(), asked, stream.Send)
}

func (it grpcCatalogue) CountStock(stream grpc.ClientStreamingServer[pb.StockCount, pb.StockSummary]) error {
	summary, err := it.count(stream.Context(), func() (*pb.StockCount, error) {
		counted, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return counted, err
	})
	if err != nil {
		return err
	}
	return stream.SendAndClose(summary)
}

func (it grpcCatalogue) QuoteWishes(stream grpc.BidiStreamingServer[pb.Wish, pb.Quote]) error {
	for {
		wish, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var quote *pb.Quote
		if err == nil {
			quote, err = it.quote(stream.Context(), wish)
		}
		if err == nil {
			err = stream.Send(quote)
		}
		if err != nil {
			return err
		}
	}
}

type grpcUsers struct {
	pb.UnsafeUsersServer
	users
}

type grpcOrders struct {
	pb.UnsafeOrdersServer
	orders
}

// NewServer gives a gRPC server of the services that this program serves; it keeps idle connections for so long.
func NewServer(it *shop.Shop, compressed bool, keepAlive time.Duration) *grpc.Server {
	server := grpc.NewServer(
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: keepAlive}),
		grpc.UnaryInterceptor(func(ctx context.Context, asked any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
			if compressed {
				_ = grpc.SetSendCompressor(ctx, gzip.Name) // an error is that the client does not take it
			}
			answer, err := handle(ctx, asked)
			return answer, grpcError(err)
		}),
		grpc.StreamInterceptor(func(service any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
			return grpcError(handle(service, stream))
		}),
	)
	pb.RegisterControlServer(server, grpcControl{})
	if it.Catalogue != nil {
		pb.RegisterCatalogueServer(server, grpcCatalogue{catalogue: catalogue{it.Catalogue}})
	}
	if it.Users != nil {
		pb.RegisterUsersServer(server, grpcUsers{users: users{it.Users}})
	}
	if it.Orders != nil {
		pb.RegisterOrdersServer(server, grpcOrders{orders: orders{it.Orders}})
	}
	reflection.Register(server)
	return server
}

// NewGrpcPeer gives the service at HOST:PORT over one channel, whose calls carry what is left of the
// deadline. gRPC's own transparent retries are off.
func NewGrpcPeer(address string) (*Peer, error) {
	channel, err := grpc.NewClient("passthrough:///"+address,
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDisableRetry())
	if err != nil {
		return nil, err
	}
	catalogue, users := pb.NewCatalogueClient(channel), pb.NewUsersClient(channel)
	return &Peer{
		readUser:        plain(users.ReadUser),
		resolveShipping: plain(users.ResolveShipping),
		productsByID:    plain(catalogue.ProductsById),
		reserve:         plain(catalogue.Reserve),
		release:         plain(catalogue.Release),
		told:            fromStatus,
	}, nil
}

// plain is a call without options.
func plain[Asked, Answer any](call func(context.Context, *Asked, ...grpc.CallOption) (*Answer, error)) func(context.Context, *Asked) (*Answer, error) {
	return func(ctx context.Context, asked *Asked) (*Answer, error) { return call(ctx, asked) }
}

func fromStatus(err error) error {
	said := status.Convert(err)
	for kind, code := range grpcCodes {
		if code == said.Code() && kind != shop.Internal && kind != shop.PaymentRefused {
			return shop.Refuse(kind, "%s", said.Message())
		}
	}
	return shop.Refuse(shop.Unavailable, "another service has failed")
}
