// Package rpc sends items as messages of gRPC, by grpc-go and by Connect.
package rpc

import (
	"context"
	"net/http"
	"time"

	"connectrpc.com/connect"
	"connectrpc.com/grpcreflect"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"

	"wirelab.example/tokens/tokens"
	pb "wirelab.example/tokens/tokenspb"
	"wirelab.example/tokens/tokenspb/tokenspbconnect"
)

// stream sends the items of a prompt that is valid.
func stream(ctx context.Context, asked tokens.Prompt, send func(*pb.Item) error) error {
	return asked.Send(ctx, func(item tokens.Item) error { return send(&pb.Item{Text: item.Text}) })
}

func promptOf(asked *pb.StreamRequest) tokens.Prompt {
	return tokens.Prompt{Seed: asked.Seed, Count: asked.Count, Rate: asked.Rate}
}

type server struct {
	pb.UnimplementedTokensServer
}

func (server) Ping(context.Context, *pb.PingRequest) (*pb.PingResponse, error) {
	return &pb.PingResponse{Status: "ok"}, nil
}

func (server) Stream(asked *pb.StreamRequest, to grpc.ServerStreamingServer[pb.Item]) error {
	prompt := promptOf(asked)
	if err := prompt.Check(); err != nil {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	return stream(to.Context(), prompt, to.Send)
}

// NewServer gives a gRPC server, which keeps idle connections for so long.
func NewServer(keepAlive time.Duration) *grpc.Server {
	made := grpc.NewServer(grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: keepAlive}))
	pb.RegisterTokensServer(made, server{})
	reflection.Register(made)
	return made
}

type handler struct{}

func (handler) Ping(context.Context, *pb.PingRequest) (*pb.PingResponse, error) {
	return &pb.PingResponse{Status: "ok"}, nil
}

func (handler) Stream(ctx context.Context, asked *pb.StreamRequest, to *connect.ServerStream[pb.Item]) error {
	prompt := promptOf(asked)
	if err := prompt.Check(); err != nil {
		return connect.NewError(connect.CodeInvalidArgument, err)
	}
	return stream(ctx, prompt, to.Send)
}

// Handler answers Connect, gRPC and gRPC-Web.
func Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle(tokenspbconnect.NewTokensHandler(handler{}, connect.WithCompression("gzip", nil, nil)))
	reflector := grpcreflect.NewStaticReflector(tokenspbconnect.TokensName)
	mux.Handle(grpcreflect.NewHandlerV1(reflector))
	mux.Handle(grpcreflect.NewHandlerV1Alpha(reflector))
	return mux
}
