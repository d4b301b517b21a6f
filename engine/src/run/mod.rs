//! Runs a job: opens a session, carries out its task or commands, and writes the result.

mod course;

use crate::crew::Caller;
use crate::error::RunError;
use crate::events::Listener;
use crate::job::{Job, Task};
use crate::result::RunResult;
use crate::session::Session;

/// Runs a job. No result if it was interrupted before the first slice.
pub fn run(job: Job, listen: Listener) -> Result<Option<RunResult>, RunError> {
    let caller = Caller::new(matches!(job.task, Task::Commands))?;
    let Some(mut session) = Session::open(job, caller, listen)? else {
        return Ok(None);
    };
    match course::follow(&mut session, listen) {
        Ok(is_whole) => session.finish(!is_whole, listen),
        // The slices measured before are kept.
        Err(refused @ RunError::Command(_)) => {
            session.finish(true, listen)?;
            Err(refused)
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpListener};
    use std::sync::Arc;

    use super::*;
    use crate::failure::Failure;
    use crate::job::from_command_line;

    fn job(address: SocketAddr, others: &[SocketAddr], transport: &str) -> Job {
        let mut job = from_command_line(&serde_json::json!({
            "format": "wirelab-job/2",
            "targets": [{
                "name": "x",
                "transport": transport,
                "address": address.to_string(),
                "pacer": { "kind": "closed" },
                "requests": [{}],
                "transactions": [{ "operation": "x", "rounds": [[0]] }],
            }],
            "stop": { "transactions": 1 },
        }))
        .unwrap();
        let endpoint = &mut Arc::make_mut(&mut job.targets[0]).endpoint;
        endpoint.other_addresses = others.iter().map(|&it| it.into()).collect();
        job
    }

    #[test]
    fn a_server_that_refuses_the_handshake_is_not_absent() {
        let refusing = TcpListener::bind("127.0.0.1:0").unwrap();
        let first = refusing.local_addr().unwrap();
        let refused = std::thread::spawn(move || {
            let (mut stream, _) = refusing.accept().unwrap();
            let mut request = [0; 1024];
            assert!(stream.read(&mut request).unwrap() > 0);
            let answer = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
            stream.write_all(answer).unwrap();
        });
        let other = TcpListener::bind("127.0.0.1:0").unwrap();
        other.set_nonblocking(true).unwrap();
        let others = [other.local_addr().unwrap()];
        let Err(RunError::Unreachable(unreachable)) =
            run(job(first, &others, "websocket"), &mut |_| {})
        else {
            panic!("the handshake was refused");
        };
        assert_eq!(unreachable.fault.failure, Failure::HandshakeFailed);
        assert!(other.accept().is_err(), "nothing but the first was tried");
        refused.join().unwrap();
    }

    #[test]
    fn a_name_may_resolve_to_several_addresses() {
        let nobody = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap();
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let somebody = server.local_addr().unwrap();
        let answering = std::thread::spawn(move || {
            let (mut stream, _) = server.accept().unwrap();
            let mut request = [0; 1024];
            assert!(stream.read(&mut request).unwrap() > 0);
            let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
            stream.write_all(answer).unwrap();
        });
        let unreachable = run(job(nobody, &[], "http1"), &mut |_| {});
        assert!(matches!(unreachable, Err(RunError::Unreachable(_))));
        let result = run(job(nobody, &[somebody], "http1"), &mut |_| {});
        let result = result.unwrap().unwrap();
        assert_eq!(result.failed(), 0);
        answering.join().unwrap();
    }
}
