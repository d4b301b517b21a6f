//! Serving over HTTP until a signal comes: hyper, with the limits that production needs.

use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::time::timeout;

use crate::GRACE;
use crate::refusal::Refusal;
use crate::rest_body::Problem;

const KEEP_ALIVE: Duration = Duration::from_secs(75);
const TIMEOUT_HEADER: &str = "x-request-timeout-ms";

/// Bounds a request by what its client says of how long it waits.
pub fn bounded(router: Router, too_late: fn() -> Response) -> Router {
    router.layer(from_fn(move |request: Request, next: Next| async move {
        let left = request.headers().get(TIMEOUT_HEADER).and_then(|it| it.to_str().ok()?.parse().ok());
        match left {
            Some(left) => timeout(Duration::from_millis(left), next.run(request)).await.unwrap_or_else(|_| too_late()),
            None => next.run(request).await,
        }
    }))
}

pub fn too_late_problem() -> Response {
    Problem::from(Refusal::too_late()).into_response()
}

/// Answers HTTP/1.1, and HTTP/2 where clients begin with it; requests in flight have until grace is over after the end.
pub async fn serve(listener: TcpListener, router: Router, end: impl Future<Output = ()>) -> std::io::Result<()> {
    let mut builder = Builder::new(TokioExecutor::new());
    // The next request's head: so long is an idle connection kept.
    builder.http1().timer(TokioTimer::new()).header_read_timeout(KEEP_ALIVE);
    let connections = GracefulShutdown::new();
    let mut end = std::pin::pin!(end);
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => accepted?.0,
            () = &mut end => break,
        };
        stream.set_nodelay(true)?;
        let connection =
            builder.serve_connection_with_upgrades(TokioIo::new(stream), TowerToHyperService::new(router.clone()));
        let watched = connections.watch(connection.into_owned());
        tokio::spawn(async move {
            let _ = watched.await; // a client that has gone
        });
    }
    drop(listener);
    let _ = timeout(GRACE, connections.shutdown()).await;
    Ok(())
}
