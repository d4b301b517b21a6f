//! A listener whose connections are each served in a separate thread.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

pub fn serve(converse: impl Fn(TcpStream) + Send + Copy + 'static) -> SocketAddr {
    listen(move |stream| {
        std::thread::spawn(move || converse(stream));
    })
}

/// The same for a function that keeps what it needs.
pub fn serve_with(converse: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let converse = Arc::new(converse);
    listen(move |stream| {
        let converse = Arc::clone(&converse);
        std::thread::spawn(move || converse(stream));
    })
}

fn listen(accept: impl Fn(TcpStream) + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            stream.set_nodelay(true).unwrap();
            accept(stream);
        }
    });
    address
}
