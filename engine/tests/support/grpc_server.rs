//! A gRPC server with streaming methods, on the `h2` crate.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use h2::server::SendResponse;
use h2::{RecvStream, SendStream};
use http::{HeaderMap, Request, Response};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

/// Messages that `Download` sends, and the pause before each.
pub const DOWNLOADED: usize = 5;
pub const PAUSE: Duration = Duration::from_millis(5);

/// What the server has noticed: the deadlines it received, and how calls were cancelled.
pub type Log = Arc<Mutex<Vec<String>>>;

/// Serves for as long as the test process lives.
pub fn serve() -> (SocketAddr, Log) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let log = Log::default();
    let noticed = Arc::clone(&log);
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let tasks = tokio::task::LocalSet::new();
        tasks.block_on(&runtime, async move {
            let listener = TcpListener::from_std(listener).unwrap();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                stream.set_nodelay(true).unwrap();
                tokio::task::spawn_local(converse(stream, Arc::clone(&noticed)));
            }
        });
    });
    (address, log)
}

async fn converse(stream: TcpStream, log: Log) {
    let Ok(mut connection) = h2::server::handshake(stream).await else {
        return;
    };
    while let Some(Ok((request, respond))) = connection.accept().await {
        tokio::task::spawn_local(answer(request, respond, Arc::clone(&log)));
    }
}

async fn answer(request: Request<RecvStream>, mut respond: SendResponse<Bytes>, log: Log) {
    let (head, body) = request.into_parts();
    if let Some(timeout) = head.headers.get("grpc-timeout") {
        let timeout = timeout.to_str().unwrap().to_string();
        log.lock().unwrap().push(timeout);
    }
    let mut received = Messages::new(body);
    let method = head.uri.path().trim_start_matches("/test.Test/");
    if method == "Hush" {
        // Not even headers: as servers do that send them with their first message.
        let reset = poll_fn(|context| respond.poll_reset(context)).await;
        log.lock().unwrap().push(format!("{:?}", reset.unwrap()));
        return;
    }
    let response = Response::builder().header("content-type", "application/grpc");
    let response = response.body(()).unwrap();
    let Ok(mut stream) = respond.send_response(response, false) else {
        return;
    };
    let status = match method {
        "Download" => {
            received.count().await;
            for number in 0..DOWNLOADED {
                sleep(PAUSE).await;
                send(&mut stream, format!("item {number}").as_bytes());
            }
            "0"
        }
        "Upload" => {
            let count = received.count().await;
            send(&mut stream, count.to_string().as_bytes());
            "0"
        }
        "Chat" => {
            while let Some(message) = received.next().await {
                send(&mut stream, &message);
            }
            "0"
        }
        "Endless" => loop {
            send(&mut stream, b"on and on");
            let reset = poll_fn(|context| stream.poll_reset(context));
            if let Ok(reset) = timeout(Duration::from_millis(2), reset).await {
                log.lock().unwrap().push(format!("{:?}", reset.unwrap()));
                return;
            }
        },
        "Silent" => {
            let reset = poll_fn(|context| stream.poll_reset(context)).await;
            log.lock().unwrap().push(format!("{:?}", reset.unwrap()));
            return;
        }
        "Fails" => {
            send(&mut stream, b"one");
            "8"
        }
        "Cut" => {
            send(&mut stream, b"one");
            let _ = stream.send_data(Bytes::from_static(b"\0\0\0\0\x05tw"), false);
            "0"
        }
        _ => "12",
    };
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", status.parse().unwrap());
    let _ = stream.send_trailers(trailers);
}

fn send(stream: &mut SendStream<Bytes>, message: &[u8]) {
    let prefix = [&[0][..], &(message.len() as u32).to_be_bytes()].concat();
    // Whoever has given the call up does not want it.
    let _ = stream.send_data([&prefix, message].concat().into(), false);
}

/// The messages of a request, as they come.
struct Messages {
    body: RecvStream,
    arrived: Vec<u8>,
}

impl Messages {
    fn new(body: RecvStream) -> Self {
        Self {
            body,
            arrived: Vec::new(),
        }
    }

    async fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some((&[_, a, b, c, d], rest)) = self.arrived.split_first_chunk::<5>()
                && let Some(message) = rest.get(..u32::from_be_bytes([a, b, c, d]) as usize)
            {
                let message = message.to_vec();
                self.arrived.drain(..5 + message.len());
                return Some(message);
            }
            let data = self.body.data().await?.ok()?;
            let _ = self.body.flow_control().release_capacity(data.len());
            self.arrived.extend_from_slice(&data);
        }
    }

    async fn count(&mut self) -> usize {
        let mut count = 0;
        while self.next().await.is_some() {
            count += 1;
        }
        count
    }
}
