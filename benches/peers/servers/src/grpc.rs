//! A gRPC server on tonic that echoes users, decoded and encoded again (echo.proto).

use std::convert::Infallible;
use std::net::SocketAddr;
use std::task::{Context, Poll};

use tonic::body::Body;
use tonic::codegen::{BoxFuture, Service};
use tonic::server::{Grpc, NamedService, UnaryService};
use tonic::transport::Server;
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;

use crate::Failure;

#[derive(Clone, PartialEq, prost::Message)]
struct Users {
    #[prost(message, repeated, tag = "1")]
    users: Vec<User>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct User {
    #[prost(int32, tag = "1")]
    id: i32,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(string, tag = "3")]
    address: String,
}

#[derive(Clone)]
struct Echo;

struct Unary;

impl UnaryService<Users> for Unary {
    type Response = Users;
    type Future = std::future::Ready<Result<Response<Users>, Status>>;

    fn call(&mut self, request: Request<Users>) -> Self::Future {
        std::future::ready(Ok(Response::new(request.into_inner())))
    }
}

/// What a code generator would write; so no compiler for .proto files is needed.
impl Service<http::Request<Body>> for Echo {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        Box::pin(async move {
            if request.uri().path() != "/echo.Echo/Unary" {
                return Ok(Status::unimplemented("only /echo.Echo/Unary").into_http());
            }
            let codec: ProstCodec<Users, Users> = ProstCodec::default();
            Ok(Grpc::new(codec).unary(Unary, request).await)
        })
    }
}

impl NamedService for Echo {
    const NAME: &'static str = "echo.Echo";
}

pub async fn serve(address: SocketAddr) -> Result<(), Failure> {
    Ok(Server::builder()
        .tcp_nodelay(true)
        .add_service(Echo)
        .serve(address)
        .await?)
}
