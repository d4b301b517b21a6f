//! `--wait`: waits until servers answer.

use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::crew::Caller;
use crate::display::Display;
use crate::error::RunError;
use crate::events::Listener;
use crate::job::{
    Connections, Job, PacerKind, Request, Target, Task, Transaction, TransportKind, WarmUp,
};
use crate::session::Session;

const INTERVAL: Duration = Duration::from_millis(100);
/// The longest time for one answer, after which the server is asked again.
const PATIENCE_MS: u64 = 1_000;
/// Statuses of HTTP (502, 503, 504) and of gRPC (14) of a server that is not ready.
const NOT_READY: [u16; 4] = [502, 503, 504, 14];
/// The health check of gRPC, which is harmless; a server without it answers that it is unknown.
const HEALTH: &str = "/grpc.health.v1.Health/Check";

/// Waits until all servers of a job answer, or until the time in seconds has passed. False if
/// interrupted.
pub fn wait(job: &Job, seconds: f64, display: &mut dyn Display) -> Result<bool, RunError> {
    let until = Instant::now() + Duration::from_secs_f64(seconds);
    for target in &job.targets {
        display.show(&format!("waiting for {}", target.endpoint.authority));
        while Instant::now() < until {
            match answers(job, target)? {
                None => return Ok(false),
                Some(true) => break,
                Some(false) => sleep(INTERVAL),
            }
        }
    }
    Ok(true)
}

/// Whether a server answers a request without effects. None if interrupted.
fn answers(job: &Job, target: &Target) -> Result<Option<bool>, RunError> {
    let ignore: Listener = &mut |_| {};
    let caller = Caller::new(false)?;
    let mut session = match Session::open(question(job, target), caller, ignore) {
        Ok(Some(session)) => session,
        Ok(None) => return Ok(None),
        Err(RunError::Unreachable(_)) => return Ok(Some(false)),
        Err(error) => return Err(error),
    };
    // The handshake of a WebSocket is an answer.
    if target.endpoint.transport == TransportKind::Websocket {
        return Ok(Some(true));
    }
    let once = WarmUp {
        transactions: 1,
        seconds: 0.0,
    };
    let warm = session.warm_up(0, once, ignore)?;
    let is_ready = |status: u16| !NOT_READY.contains(&status);
    Ok(warm.map(|warm| warm.failed == 0 || warm.status.is_some_and(is_ready)))
}

fn question(job: &Job, target: &Target) -> Job {
    let (method, path) = match (target.endpoint.transport, target.requests.first()) {
        (TransportKind::Grpc, _) => ("POST", HEALTH),
        (_, first) => ("GET", first.map_or("/", |it| it.path.as_str())),
    };
    let target = Target {
        connections: Connections {
            count: 1,
            streams_per_connection: 1,
            connect_timeout_ms: target.connections.connect_timeout_ms.min(PATIENCE_MS),
            request_timeout_ms: PATIENCE_MS,
            ..target.connections
        },
        pacer: PacerKind::Closed {
            clients: 1,
            think_time_us: 0,
        },
        arrival: crate::arrival::Arrival::Engine,
        requests: vec![Request {
            method: method.into(),
            path: path.into(),
            ..Request::default()
        }],
        transactions: vec![Transaction {
            operation: String::new(),
            parameter_set: 0,
            rounds: vec![vec![0]],
        }],
        captured: None,
        roles: Vec::new(),
        ..target.clone()
    };
    Job {
        targets: vec![Arc::new(target)],
        task: Task::Commands,
        output: None,
        samples: false,
        roles: Vec::new(),
        ..job.clone()
    }
}
