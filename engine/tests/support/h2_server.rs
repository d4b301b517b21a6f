//! An HTTP/2 server of other people's making, the `h2` crate, as the partner in conversation.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use h2::server::{Builder, SendResponse};
use h2::{Reason, RecvStream};
use http::{HeaderMap, Request, Response};
use tokio::net::{TcpListener, TcpStream};
pub use tokio::sync::Barrier;

/// A request as it came in, numbered over all connections from 0.
pub struct Received {
    pub number: u64,
    pub path: String,
    pub scheme: String,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

/// What the server does with a request.
pub enum Answer {
    /// Status, headers, body, and trailers if there are any.
    Reply(
        u16,
        Vec<(&'static str, String)>,
        Vec<u8>,
        Vec<(&'static str, &'static str)>,
    ),
    Reset(Reason),
    /// Never answers.
    Silence,
    /// Answers after a while, in which others are answered.
    After(Duration, Box<Answer>),
    /// Answers when this number of other requests wait too.
    Together(Arc<Barrier>, Box<Answer>),
    /// Answers, and gives the connection up in good order.
    Goodbye(Box<Answer>),
    /// Gives the connection up at once, this request included.
    Abrupt(Reason),
}

impl Answer {
    pub fn plain(status: u16, body: &[u8]) -> Self {
        Self::Reply(status, vec![], body.to_vec(), vec![])
    }

    /// A gRPC message with its status in the trailers.
    pub fn grpc(message: &[u8], status: &'static str) -> Self {
        let mut body = vec![0];
        body.extend_from_slice(&(message.len() as u32).to_be_bytes());
        body.extend_from_slice(message);
        let headers = vec![("content-type", "application/grpc".to_string())];
        Self::Reply(200, headers, body, vec![("grpc-status", status)])
    }
}

type Handler = Arc<dyn Fn(&Received) -> Answer + Send + Sync>;

/// Serves for as long as the test process lives.
pub fn serve(answer: impl Fn(&Received) -> Answer + Send + Sync + 'static) -> SocketAddr {
    serve_with(Builder::new(), answer)
}

pub fn serve_with(
    builder: Builder,
    answer: impl Fn(&Received) -> Answer + Send + Sync + 'static,
) -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let answer: Handler = Arc::new(answer);
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let tasks = tokio::task::LocalSet::new();
        tasks.block_on(&runtime, async move {
            let listener = TcpListener::from_std(listener).unwrap();
            let count = Arc::new(AtomicU64::new(0));
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                stream.set_nodelay(true).unwrap();
                let task = converse(builder.clone(), stream, Arc::clone(&answer), count.clone());
                tokio::task::spawn_local(task);
            }
        });
    });
    address
}

async fn converse(builder: Builder, stream: TcpStream, answer: Handler, count: Arc<AtomicU64>) {
    let Ok(mut connection) = builder.handshake::<_, Bytes>(stream).await else {
        return;
    };
    let (orders, mut ordered) = tokio::sync::mpsc::unbounded_channel();
    loop {
        let accepted = poll_fn(|context| {
            while let Poll::Ready(Some(order)) = ordered.poll_recv(context) {
                match order {
                    None => connection.graceful_shutdown(),
                    Some(reason) => connection.abrupt_shutdown(reason),
                }
            }
            connection.poll_accept(context)
        });
        let Some(Ok((request, respond))) = accepted.await else {
            return;
        };
        let (answer, count, orders) = (Arc::clone(&answer), count.clone(), orders.clone());
        tokio::task::spawn_local(async move {
            if let Some(received) = read(request, &count).await {
                reply(answer(&received), respond, &orders).await;
            }
        });
    }
}

async fn read(request: Request<RecvStream>, count: &AtomicU64) -> Option<Received> {
    let number = count.fetch_add(1, Ordering::SeqCst);
    let (head, mut stream) = request.into_parts();
    let mut body = Vec::new();
    while let Some(data) = stream.data().await {
        let data = data.ok()?;
        body.extend_from_slice(&data);
        stream.flow_control().release_capacity(data.len()).ok()?;
    }
    Some(Received {
        number,
        path: head.uri.path().to_string(),
        scheme: head.uri.scheme_str().unwrap_or_default().to_string(),
        headers: head.headers,
        body,
    })
}

async fn reply(
    answer: Answer,
    mut respond: SendResponse<Bytes>,
    orders: &tokio::sync::mpsc::UnboundedSender<Option<Reason>>,
) {
    match answer {
        Answer::Silence => std::future::pending::<()>().await,
        Answer::After(time, answer) => {
            tokio::time::sleep(time).await;
            Box::pin(reply(*answer, respond, orders)).await;
        }
        Answer::Together(barrier, answer) => {
            barrier.wait().await;
            Box::pin(reply(*answer, respond, orders)).await;
        }
        Answer::Reset(reason) => respond.send_reset(reason),
        Answer::Abrupt(reason) => {
            orders.send(Some(reason)).unwrap();
            std::future::pending::<()>().await;
        }
        Answer::Goodbye(answer) => {
            orders.send(None).unwrap();
            Box::pin(reply(*answer, respond, orders)).await;
        }
        Answer::Reply(status, headers, body, trailers) => {
            let mut response = Response::builder().status(status);
            for (name, value) in headers {
                response = response.header(name, value);
            }
            let ends = body.is_empty() && trailers.is_empty();
            let Ok(mut stream) = respond.send_response(response.body(()).unwrap(), ends) else {
                return;
            };
            if ends {
                return;
            }
            let last = trailers.is_empty();
            if !body.is_empty() || last {
                let _ = stream.send_data(body.into(), last);
            }
            if !last {
                let trailers = trailers.into_iter().map(|(name, value)| {
                    (
                        http::HeaderName::from_static(name),
                        http::HeaderValue::from_static(value),
                    )
                });
                let _ = stream.send_trailers(trailers.collect());
            }
        }
    }
}
