//! TLS in front of a server in clear text, by tokio-rustls, with its own certificate.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::version::{TLS12, TLS13};
use rustls::{HandshakeKind, ServerConfig};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use super::Folder;

/// The files of a certificate and of its key, in the folder they were written to.
pub const CA: &str = "ca.pem";
const KEY: &str = "key.pem";

pub struct Front {
    pub address: SocketAddr,
    /// Its certificate.
    pub ca: PathBuf,
    /// The key of the certificate.
    pub key: PathBuf,
    handshakes: Arc<[AtomicU64; 2]>,
    folder: Folder,
}

pub struct Options {
    /// What the certificate is for.
    pub name: &'static str,
    pub protocols: &'static [&'static str],
    pub only_tls12: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            name: "127.0.0.1",
            protocols: &["h2", "http/1.1"],
            only_tls12: false,
        }
    }
}

/// Makes a certificate, writes it to the folder, and gives what a server needs to have it.
pub fn server_config(options: &Options, folder: &Folder) -> ServerConfig {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed([options.name.into()]).unwrap();
    std::fs::write(folder.0.join(CA), cert.pem()).unwrap();
    std::fs::write(folder.0.join(KEY), signing_key.serialize_pem()).unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = if options.only_tls12 {
        vec![&TLS12]
    } else {
        vec![&TLS13, &TLS12]
    };
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&versions)
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let protocols = options.protocols.iter();
    config.alpn_protocols = protocols.map(|name| name.as_bytes().to_vec()).collect();
    config.ticketer = rustls::crypto::ring::Ticketer::new().unwrap();
    config
}

impl Front {
    /// Passes on to `backend` for as long as the test process lives.
    pub fn of(backend: SocketAddr) -> Self {
        Self::with(backend, &Options::default())
    }

    pub fn with(backend: SocketAddr, options: &Options) -> Self {
        let folder = Folder::new();
        let acceptor = TlsAcceptor::from(Arc::new(server_config(options, &folder)));

        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let handshakes = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
        let counted = Arc::clone(&handshakes);
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async move {
                let listener = TcpListener::from_std(listener).unwrap();
                loop {
                    let (stream, _) = listener.accept().await.unwrap();
                    let (acceptor, counted) = (acceptor.clone(), Arc::clone(&counted));
                    tokio::spawn(async move {
                        let Ok(mut front) = acceptor.accept(stream).await else {
                            return;
                        };
                        let kind = front.get_ref().1.handshake_kind().unwrap();
                        let resumed = usize::from(kind == HandshakeKind::Resumed);
                        counted[resumed].fetch_add(1, Ordering::SeqCst);
                        let mut back = TcpStream::connect(backend).await.unwrap();
                        back.set_nodelay(true).unwrap();
                        let _ = copy_bidirectional(&mut front, &mut back).await;
                    });
                }
            });
        });
        Self {
            address,
            ca: folder.0.join(CA),
            key: folder.0.join(KEY),
            handshakes,
            folder,
        }
    }

    /// Full handshakes and resumed ones, as the server saw them.
    pub fn handshakes(&self) -> (u64, u64) {
        let [full, resumed] = &*self.handshakes;
        (full.load(Ordering::SeqCst), resumed.load(Ordering::SeqCst))
    }
}
