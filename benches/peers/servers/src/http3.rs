//! An HTTP/3 server on quinn and h3 that serves the files of one folder, read once.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use h3::server::RequestResolver;
use http::{Response, StatusCode};
use quinn::crypto::rustls::QuicServerConfig;
use quinn::rustls;
use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use rustls::pki_types::PrivatePkcs8KeyDer;

use crate::Failure;

/// Streams that one client may have open: more than any case asks for.
const MOST_STREAMS: u32 = 1024;

type Files = Arc<HashMap<String, Bytes>>;

pub async fn serve(address: SocketAddr, folder: &str) -> Result<(), Failure> {
    let files = read_files(folder.as_ref())?;
    let endpoint = quinn::Endpoint::server(configuration()?, address)?;
    while let Some(incoming) = endpoint.accept().await {
        let files = Arc::clone(&files);
        tokio::spawn(async move {
            let connection = h3_quinn::Connection::new(incoming.await?);
            let mut connection = h3::server::Connection::<_, Bytes>::new(connection).await?;
            while let Some(request) = connection.accept().await? {
                tokio::spawn(answer(request, Arc::clone(&files)));
            }
            Ok::<(), Failure>(())
        });
    }
    Ok(())
}

async fn answer(
    request: RequestResolver<h3_quinn::Connection, Bytes>,
    files: Files,
) -> Result<(), Failure> {
    let (request, mut stream) = request.resolve_request().await?;
    let body = files.get(request.uri().path());
    let head = Response::builder();
    let head = match body {
        Some(body) => head
            .header("content-type", "application/json")
            .header("content-length", body.len()),
        None => head.status(StatusCode::NOT_FOUND),
    };
    stream.send_response(head.body(())?).await?;
    if let Some(body) = body {
        stream.send_data(body.clone()).await?;
    }
    Ok(stream.finish().await?)
}

fn read_files(folder: &Path) -> Result<Files, Failure> {
    let mut files = HashMap::new();
    for entry in folder.read_dir()? {
        let entry = entry?;
        let path = format!("/{}", entry.file_name().to_string_lossy());
        files.insert(path, std::fs::read(entry.path())?.into());
    }
    Ok(Arc::new(files))
}

fn configuration() -> Result<quinn::ServerConfig, Failure> {
    let CertifiedKey { cert, signing_key } = localhost()?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut tls = rustls::ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_no_client_auth()
        .with_single_cert(
            vec![cert.der().clone()],
            PrivatePkcs8KeyDer::from(signing_key.serialize_der()).into(),
        )?;
    tls.alpn_protocols = vec![b"h3".to_vec()];
    let mut configuration =
        quinn::ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(tls)?));
    let mut transport = quinn::TransportConfig::default();
    transport.max_concurrent_bidi_streams(MOST_STREAMS.into());
    configuration.transport_config(Arc::new(transport));
    Ok(configuration)
}

/// Writes a certificate and its key for servers that want files.
pub fn write_certificate(folder: &Path) -> Result<(), Failure> {
    let CertifiedKey { cert, signing_key } = localhost()?;
    std::fs::write(folder.join("certificate.pem"), cert.pem())?;
    std::fs::write(folder.join("key.pem"), signing_key.serialize_pem())?;
    Ok(())
}

fn localhost() -> Result<CertifiedKey<KeyPair>, Failure> {
    let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
    Ok(generate_simple_self_signed(names)?)
}
