//! The bytes of a request, made once, and how many bytes answer it.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};

use crate::Failure;

const HEAD_END: &[u8] = b"\r\n\r\n";

/// What every connection sends again and again, and how long each answer is.
pub struct Exchange {
    pub request: Vec<u8>,
    pub answer_length: usize,
}

/// A GET request. How long the answer is, the first answer tells: all are alike.
pub fn http1(address: SocketAddr, path: &str) -> Result<Exchange, Failure> {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").into_bytes();
    let mut stream = connect(address)?;
    stream.write_all(&request)?;
    let mut head = Vec::new();
    let end = read_head(&mut stream, &mut head)?;
    let text = String::from_utf8_lossy(&head[..end]).to_lowercase();
    if !text.starts_with("http/1.1 200 ") {
        return Err(format!("{path} is answered with {text:?}").into());
    }
    let length = text
        .lines()
        .find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    let body_length: usize = length.ok_or("the answer has no content-length")?;
    Ok(Exchange {
        request,
        answer_length: end + body_length,
    })
}

/// A masked text message, which is echoed with the same length and no mask.
pub fn websocket(message: &[u8]) -> Exchange {
    let (first_byte, mask) = (0x81, [0; 4]); // a mask of zeros leaves the message as it is
    let mut request = vec![first_byte];
    let header_length = match message.len() {
        length @ 0..=125 => {
            request.push(0x80 | length as u8);
            2
        }
        length @ 126..=0xffff => {
            request.push(0x80 | 126);
            request.extend((length as u16).to_be_bytes());
            4
        }
        length => {
            request.push(0x80 | 127);
            request.extend((length as u64).to_be_bytes());
            10
        }
    };
    request.extend(mask);
    request.extend(message);
    Exchange {
        request,
        answer_length: header_length + message.len(),
    }
}

/// Asks for a connection to become a WebSocket.
pub fn upgrade(stream: &mut TcpStream, address: SocketAddr) -> Result<(), Failure> {
    let key = "AAAAAAAAAAAAAAAAAAAAAA=="; // any sixteen bytes
    write!(
        stream,
        "GET / HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
    )?;
    let mut head = Vec::new();
    let end = read_head(stream, &mut head)?;
    if !head.starts_with(b"HTTP/1.1 101 ") || end != head.len() {
        let head = String::from_utf8_lossy(&head);
        return Err(format!("the handshake is answered with {head:?}").into());
    }
    Ok(())
}

pub fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Reads until the head of an answer is complete; returns where it ends.
fn read_head(stream: &mut TcpStream, head: &mut Vec<u8>) -> Result<usize, Failure> {
    let mut buffer = [0; 4096];
    loop {
        let found = head.windows(HEAD_END.len()).position(|at| at == HEAD_END);
        if let Some(at) = found {
            return Ok(at + HEAD_END.len());
        }
        match stream.read(&mut buffer)? {
            0 => return Err("the server closed the connection".into()),
            count => head.extend(&buffer[..count]),
        }
    }
}

/// Finds the ends of requests without bodies in a stream of bytes, wherever it is cut.
#[derive(Default)]
pub struct RequestEnds {
    matched: usize,
}

impl RequestEnds {
    /// Returns how many requests end in these bytes.
    pub fn count(&mut self, bytes: &[u8]) -> usize {
        let mut ends = 0;
        for &byte in bytes {
            if byte == HEAD_END[self.matched] {
                self.matched += 1;
            } else {
                self.matched = usize::from(byte == HEAD_END[0]);
            }
            if self.matched == HEAD_END.len() {
                self.matched = 0;
                ends += 1;
            }
        }
        ends
    }
}

/// The whole answer with this body, as the servers here send it.
pub fn answer(body: &[u8]) -> Vec<u8> {
    let head = "HTTP/1.1 200 OK\r\nServer: wirelab-floor\r\nContent-Type: application/json";
    let length = body.len();
    let mut answer = format!("{head}\r\nContent-Length: {length}\r\n\r\n").into_bytes();
    answer.extend(body);
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_requests_are_found_wherever_the_bytes_are_cut() {
        let requests = b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\n\r\n";
        for cut in 0..requests.len() {
            let mut ends = RequestEnds::default();
            let (first, second) = requests.split_at(cut);
            assert_eq!(ends.count(first) + ends.count(second), 2, "cut at {cut}");
        }
        assert_eq!(RequestEnds::default().count(b"\r\n\r\r\n\r\n"), 1);
        assert_eq!(
            RequestEnds::default().count(b"GET / HTTP/1.1\r\nHost: x\r\n"),
            0
        );
    }

    #[test]
    fn a_message_is_framed_for_its_length() {
        assert_eq!(websocket(b"hi").request, b"\x81\x82\0\0\0\0hi");
        assert_eq!(websocket(b"hi").answer_length, 4);
        let long = websocket(&[b'x'; 3530]);
        assert_eq!(long.request[..8], [0x81, 0xfe, 0x0d, 0xca, 0, 0, 0, 0]);
        assert_eq!(long.request.len(), 8 + 3530);
        assert_eq!(long.answer_length, 4 + 3530);
        assert_eq!(websocket(&[b'x'; 70_000]).answer_length, 70_010);
    }
}
