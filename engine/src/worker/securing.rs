//! TLS between the socket and the protocol.

use crate::failure::Fault;
use crate::pool::State;
use crate::transport::Codec;

use super::Worker;

impl<C: Codec> Worker<C> {
    /// TCP is connected: begins TLS. False without TLS.
    pub(super) fn begin_tls(&mut self, index: u32) -> Result<bool, Fault> {
        let Some(client) = &self.tls else {
            return Ok(false);
        };
        let now = self.clock.now();
        let connection = self.pool.get(index);
        connection.state = State::Securing;
        connection.securing_started = now;
        let session = connection.session.insert(Box::new(client.session()?));
        session.open(&mut [], &mut [], &mut connection.sealed)?;
        self.pool.mark_dirty(index);
        Ok(true)
    }

    /// Decrypts the first `count` received bytes into the scratch buffer; returns the number of
    /// plain ones. Without TLS they are there already.
    #[inline]
    pub(super) fn unseal(&mut self, index: u32, count: usize) -> Result<usize, Fault> {
        let connection = &mut self.pool.connections[index as usize];
        let Some(session) = &mut connection.session else {
            return Ok(count);
        };
        let sealed = &mut self.sealed[..count];
        let plain = session.open(sealed, &mut self.scratch, &mut connection.sealed)?;
        let is_secured = connection.state == State::Securing && !session.is_handshaking();
        if !connection.sealed.is_empty() {
            self.pool.mark_dirty(index);
        }
        if is_secured {
            self.secured(index)?;
        }
        Ok(plain)
    }

    /// TLS is established: opens the protocol.
    fn secured(&mut self, index: u32) -> Result<(), Fault> {
        let now = self.clock.now();
        let pool = &mut self.pool;
        let connection = &mut pool.connections[index as usize];
        if let (Some(client), Some(session)) = (&self.tls, &connection.session) {
            client.admit(session, &mut pool.handshakes)?;
        }
        let duration = now as i64 - connection.securing_started as i64;
        connection.tls_ns = duration;
        pool.tls_times.record(duration);
        self.open_protocol(index);
        Ok(())
    }

    /// Whether the server has ended the TLS session.
    #[inline]
    pub(super) fn session_has_ended(&mut self, index: u32) -> bool {
        let session = &self.pool.get(index).session;
        session.as_ref().is_some_and(|session| session.has_ended())
    }
}
