//! The shop served over one protocol.

mod catalogue;
mod checkout;
mod checks;
mod credentials;
mod events;
mod graph;
mod graph_loaders;
mod graph_server;
mod http;
mod messages;
mod orders;
mod refusal;
mod rest;
mod rest_body;
mod rest_forms;
mod rest_streams;
mod rows;
mod rpc;
mod settings;
mod shop;
mod stock;
mod store;
mod tool_forms;
mod tools;
mod types;
mod users;

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use async_graphql::ErrorExtensions;
use axum::response::{IntoResponse, Response};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

use crate::refusal::Refusal;
use crate::settings::{Protocol, Settings};
use crate::shop::Shop;
use crate::store::Store;

/// How long requests in flight have after the signal.
const GRACE: Duration = Duration::from_millis(500);

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            let mut cause = error.source();
            while let Some(error) = cause {
                eprintln!("{error}");
                cause = error.source();
            }
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let settings = Settings::read()?;
    let shop = Shop::over(Store::open(&settings.store_url).await?);
    let listener = TcpListener::bind(settings.address).await?;
    let end = ending()?;
    match settings.protocol {
        Protocol::Rest => {
            http::serve(listener, http::bounded(rest::router(shop)?, http::too_late_problem), end).await?
        }
        Protocol::Graphql => {
            http::serve(listener, http::bounded(graph_server::router(shop), too_late_error), end).await?
        }
        Protocol::Mcp => {
            let router = http::bounded(tools::router(shop, settings.streamed), http::too_late_problem);
            http::serve(listener, router, end).await?
        }
        Protocol::Grpc => serve_grpc(listener, shop, end).await?,
    }
    Ok(())
}

async fn serve_grpc(listener: TcpListener, shop: Shop, end: impl Future<Output = ()>) -> Result<(), Box<dyn Error>> {
    let reflection =
        || tonic_reflection::server::Builder::configure().register_encoded_file_descriptor_set(messages::DESCRIBED);
    let serving = Server::builder()
        .tcp_nodelay(true)
        .add_service(reflection().build_v1()?)
        .add_service(reflection().build_v1alpha()?)
        .add_service(rpc::ControlServer::new(rpc::Control))
        .add_service(rpc::CatalogueServer::new(shop.catalogue))
        .add_service(rpc::UsersServer::new(shop.users))
        .add_service(rpc::OrdersServer::new(shop.orders));
    let (stop, stopped) = tokio::sync::oneshot::channel();
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let mut served = std::pin::pin!(serving.serve_with_incoming_shutdown(incoming, async { drop(stopped.await) }));
    tokio::select! {
        failed = &mut served => return Ok(failed?),
        () = end => drop(stop.send(())),
    }
    let _ = tokio::time::timeout(GRACE, served).await;
    Ok(())
}

fn too_late_error() -> Response {
    let error = async_graphql::Error::from(Refusal::too_late()).extend();
    let said =
        serde_json::json!({"data": null, "errors": [{"message": error.message, "extensions": error.extensions}]});
    axum::Json(said).into_response()
}

/// Completes when the laboratory, or somebody at a terminal, wants an end.
fn ending() -> std::io::Result<impl Future<Output = ()>> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
