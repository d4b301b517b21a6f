use super::*;

const WEB: Head = Head {
    http_status: 200,
    content: Content::GrpcWeb,
    encoding: Encoding::Identity,
    message_encoding: Encoding::Identity,
    grpc_status: None,
};

/// What a reply means, with its body and the server's words.
fn meaning(rpc: Rpc, head: Head, body: &[u8]) -> Result<(u16, Encoding, Vec<u8>, Vec<u8>), Fault> {
    let answer = read(rpc, head, body)?;
    let (body, message) = (answer.body.to_vec(), answer.message.to_vec());
    Ok((answer.status, answer.encoding, body, message))
}

#[test]
fn content_types_are_distinguished() {
    for (text, expected) in [
        ("application/grpc", Content::Grpc),
        ("application/grpc+proto", Content::Grpc),
        ("application/grpc-web+proto", Content::GrpcWeb),
        ("application/grpc-web; charset=x", Content::GrpcWeb),
        ("application/grpc-web-text+proto", Content::Other),
        ("application/proto", Content::Proto),
        ("application/json;charset=utf-8", Content::Json),
        ("text/html", Content::Other),
    ] {
        assert_eq!(Content::new(text.as_bytes()), expected, "{text}");
    }
}

#[test]
fn grpc_web_has_its_trailers_in_the_body() {
    let as_it_is = Encoding::Identity;
    let body = b"\0\0\0\0\x02hi\x80\0\0\0\x0fgrpc-status:0\r\n";
    let expected = (0, as_it_is, b"hi".to_vec(), vec![]);
    assert_eq!(meaning(Rpc::GrpcWeb, WEB, body), Ok(expected));
    let body = b"\x80\0\0\0\x2bGrpc-Status: 5\r\ngrpc-message: n%6F %C3%\r\n\r\n";
    let expected = (5, as_it_is, vec![], b"no \xc3%".to_vec());
    assert_eq!(meaning(Rpc::GrpcWeb, WEB, body), Ok(expected));
    let head = Head {
        grpc_status: Some(7),
        ..WEB
    };
    assert_eq!(
        meaning(Rpc::GrpcWeb, head, b""),
        Ok((7, as_it_is, vec![], vec![]))
    );
}

#[test]
fn a_status_of_http_explains_why_grpc_failed() {
    for (http_status, expected) in [
        (
            404,
            "HTTP 404 Not Found instead of gRPC: the server has no gRPC at this path",
        ),
        (
            502,
            "HTTP 502 Bad Gateway instead of gRPC: the server behind it does not answer",
        ),
        (500, "an HTTP status other than 200 instead of gRPC"),
    ] {
        let head = Head { http_status, ..WEB };
        let fault = meaning(Rpc::GrpcWeb, head, b"").unwrap_err();
        assert_eq!((fault.failure, fault.detail), (Failure::Status, expected));
    }
}

#[test]
fn statuses_are_numbers_of_16_bits_in_digits() {
    assert_eq!((status(b"0"), status(b"16")), (Some(0), Some(16)));
    for wrong in [
        "",
        "x",
        "+1",
        "-1",
        " 1",
        "1x",
        "65536",
        "655350",
        "18446744073709551616",
    ] {
        assert_eq!(status(wrong.as_bytes()), None, "{wrong}");
    }
}

#[test]
fn messages_may_be_compressed_but_not_the_body() {
    let body = b"\x01\0\0\0\x02hi\x80\0\0\0\x0fgrpc-status:0\r\n";
    let head = Head {
        message_encoding: Encoding::Gzip,
        ..WEB
    };
    let expected = (0, Encoding::Gzip, b"hi".to_vec(), vec![]);
    assert_eq!(meaning(Rpc::GrpcWeb, head, body), Ok(expected));
    let head = Head {
        encoding: Encoding::Gzip,
        ..WEB
    };
    let fault = meaning(Rpc::GrpcWeb, head, body).unwrap_err();
    assert_eq!(fault.failure, Failure::BadEncoding);
}

#[test]
fn invalid_grpc_web_is_refused() {
    for body in [
        &b""[..],
        b"\0\0\0\0\x05hi",
        b"\x80\0\0\0\0",
        b"\x80\0\0\0\x0fgrpc-status:0\r\n",
        b"\x01\0\0\0\0\x80\0\0\0\x0fgrpc-status:0\r\n",
        b"\x02\0\0\0\0\x80\0\0\0\x0fgrpc-status:0\r\n",
        b"\0\0\0\0\0\0\0\0\0\0\x80\0\0\0\x0fgrpc-status:0\r\n",
        b"\0\0\0\0\0\x80\0\0\0\x0fgrpc-status:0\r\n\0\0\0\0\0",
    ] {
        let fault = meaning(Rpc::GrpcWeb, WEB, body).unwrap_err();
        assert_eq!(fault.failure, Failure::ProtocolError, "{body:?}");
    }
}

#[test]
fn errors_of_connect_are_in_json() {
    let head = |http_status, content| Head {
        http_status,
        content,
        ..WEB
    };
    let status = |head, body| meaning(Rpc::Connect, head, body).map(|it| it.0);
    let (json, html) = (Content::Json, Content::Other);
    assert_eq!(status(head(200, Content::Proto), b"\x08\x01"), Ok(0));
    let error = br#"{"code":"not_found","message":"no"}"#;
    assert_eq!(status(head(404, json), error), Ok(5));
    assert_eq!(status(head(404, html), b"<html>"), Ok(12));
    assert_eq!(status(head(503, json), b"{"), Ok(14));
    assert!(status(head(200, html), b"<html>").is_err());
}
