//! Bodies of REST: JSON, or messages of shop.proto where a client sends or accepts them.

use axum::body::to_bytes;
use axum::extract::{FromRequestParts, Request};
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode, request::Parts};
use axum::response::{IntoResponse, Response};
use prost::Message;
use serde::{Serialize, de::DeserializeOwned};

use crate::refusal::{Kind, Refusal};

pub const LARGEST_BODY: usize = 1 << 20;
const PROTOBUF: &str = "application/protobuf";
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// What went wrong, as in RFC 9457.
pub struct Problem(StatusCode, String);

pub type Served = Result<Response, Problem>;

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let status = match refusal.kind {
            Kind::NotFound => StatusCode::NOT_FOUND,
            Kind::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
            Kind::Unauthenticated => StatusCode::UNAUTHORIZED,
            Kind::OutOfStock => StatusCode::CONFLICT,
            Kind::PaymentRefused => StatusCode::PAYMENT_REQUIRED,
            Kind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Kind::TooLate => StatusCode::GATEWAY_TIMEOUT,
            Kind::Repeated | Kind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self(status, refusal.detail)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self(status, detail) = self;
        let said = serde_json::json!({
            "title": status.canonical_reason(), "status": status.as_u16(), "detail": detail,
        });
        (status, [(CONTENT_TYPE, "application/problem+json")], said.to_string()).into_response()
    }
}

/// Reads what a client sends: JSON, or a message that is made into the same.
pub async fn body<Value: DeserializeOwned, Form: Message + Default + Into<Value>>(
    request: Request,
) -> Result<Value, Problem> {
    let media = request.headers().get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default().trim().to_owned();
    let bytes = to_bytes(request.into_body(), LARGEST_BODY)
        .await
        .map_err(|_| Problem(StatusCode::PAYLOAD_TOO_LARGE, format!("a body has at most {LARGEST_BODY} bytes")))?;
    match media.as_str() {
        "application/json" => Ok(serde_json::from_slice(&bytes).map_err(|error| {
            let invalid = error.classify() == serde_json::error::Category::Data;
            let status = if invalid { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::BAD_REQUEST };
            Problem(status, format!("the body is not as it must be: {error}"))
        })?),
        PROTOBUF => Ok(Form::decode(bytes)
            .map_err(|_| Problem(StatusCode::BAD_REQUEST, "the body is no such message".into()))?
            .into()),
        _ => Err(Problem(StatusCode::UNSUPPORTED_MEDIA_TYPE, format!("a body is application/json or {PROTOBUF}"))),
    }
}

/// How a client wants its answer.
pub struct Accepts {
    messages: bool,
}

impl<State: Sync> FromRequestParts<State> for Accepts {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &State) -> Result<Self, Problem> {
        let accepted = parts.headers.get(ACCEPT).map(HeaderValue::as_bytes).unwrap_or_default();
        Ok(Self { messages: accepted.starts_with(PROTOBUF.as_bytes()) })
    }
}

impl Accepts {
    /// Answers a value, as JSON or as a message.
    pub fn reply<Form: Message + From<Value>, Value: Serialize>(&self, status: StatusCode, value: Value) -> Served {
        self.reply_as(status, value, Form::from)
    }

    pub fn reply_as<Value: Serialize, Form: Message>(
        &self,
        status: StatusCode,
        value: Value,
        message: impl FnOnce(Value) -> Form,
    ) -> Served {
        if self.messages {
            let bytes = message(value).encode_to_vec();
            return Ok((status, [(CONTENT_TYPE, PROTOBUF)], bytes).into_response());
        }
        let text = serde_json::to_vec(&value)
            .map_err(|error| Problem(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
        Ok((status, [(CONTENT_TYPE, JSON)], text).into_response())
    }
}
