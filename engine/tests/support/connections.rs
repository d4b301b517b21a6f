//! A listener whose connections are each served in a separate thread.

use std::net::{SocketAddr, TcpListener, TcpStream};

pub fn serve(converse: impl Fn(TcpStream) + Send + Copy + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            std::thread::spawn(move || {
                let stream = stream.unwrap();
                stream.set_nodelay(true).unwrap();
                converse(stream);
            });
        }
    });
    address
}
