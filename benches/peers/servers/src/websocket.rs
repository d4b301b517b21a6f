//! A WebSocket server on fastwebsockets that echoes messages.

use std::net::SocketAddr;

use bytes::Bytes;
use fastwebsockets::{FragmentCollector, OpCode, WebSocketError, upgrade};
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use crate::Failure;

pub async fn serve(address: SocketAddr) -> Result<(), Failure> {
    let listener = TcpListener::bind(address).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(
            http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service_fn(accept))
                .with_upgrades(),
        );
    }
}

async fn accept(mut request: Request<Incoming>) -> Result<Response<Empty<Bytes>>, WebSocketError> {
    let (response, upgraded) = upgrade::upgrade(&mut request)?;
    tokio::spawn(echo(upgraded)); // how it ends is the client's affair
    Ok(response)
}

async fn echo(upgraded: upgrade::UpgradeFut) -> Result<(), WebSocketError> {
    let mut socket = FragmentCollector::new(upgraded.await?);
    loop {
        let frame = socket.read_frame().await?;
        match frame.opcode {
            OpCode::Close => return Ok(()),
            OpCode::Text | OpCode::Binary => socket.write_frame(frame).await?,
            _ => {}
        }
    }
}
