//! Streams beside REST: server-sent events, and a WebSocket for every direction.

use std::collections::HashMap;
use std::pin::pin;

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Query, State};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, TryStreamExt};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::catalogue::Catalogue;
use crate::refusal::{Kind, Refusal, Result};
use crate::rest::parameter;
use crate::rest_body::Served;
use crate::shop::Shop;
use crate::types::{StockCount, Watch, WishInput};

/// Sends server-sent events, each with its id.
pub async fn watch_products(State(shop): State<Shop>, Query(asked): Query<HashMap<String, String>>) -> Served {
    let watch = Watch { after: parameter(&asked, "after", 0)?, count: parameter(&asked, "count", 0)? };
    let events = shop.catalogue.watch(watch)?.map(|event| -> std::result::Result<Event, axum::Error> {
        let event = event.map_err(|refusal| axum::Error::new(std::io::Error::other(refusal.detail)))?;
        Event::default().id(event.id.to_string()).json_data(event)
    });
    Ok(([("cache-control", "no-store")], Sse::new(events)).into_response())
}

/// What a client says over a WebSocket: an operation, then its items.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Question {
    op: String,
    after: i32,
    count: i32,
    product_id: i32,
    quantity: i32,
    stock: i32,
}

pub async fn converse(State(shop): State<Shop>, upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(|socket| async move {
        Conversation { socket, catalogue: shop.catalogue, counts: vec![] }.carry_on().await
    })
}

/// "watch" sends events and "end"; "count" takes one count a message and answers "done" with a summary; "quote" answers
/// each wish.
struct Conversation {
    socket: WebSocket,
    catalogue: Catalogue,
    counts: Vec<StockCount>,
}

impl Conversation {
    async fn carry_on(mut self) {
        while let Some(Ok(message)) = self.socket.recv().await {
            let asked = match message {
                Message::Text(text) => serde_json::from_str(&text).unwrap_or_default(),
                Message::Binary(bytes) => serde_json::from_slice(&bytes).unwrap_or_default(),
                Message::Close(_) => return,
                _ => continue,
            };
            if let Err(refusal) = self.answer(asked).await {
                let said = json!({"error": {"code": refusal.kind.name(), "message": refusal.detail}});
                if self.send(&said).await.is_err() {
                    return;
                }
            }
        }
    }

    async fn answer(&mut self, asked: Question) -> Result<()> {
        match asked.op.as_str() {
            "watch" => {
                let watch = Watch { after: asked.after, count: asked.count };
                let mut events = pin!(self.catalogue.watch(watch)?);
                while let Some(event) = events.try_next().await? {
                    send(&mut self.socket, &event).await?;
                }
                self.send(&json!({"end": asked.count})).await
            }
            "count" => {
                self.counts.push(StockCount { product_id: asked.product_id, stock: asked.stock });
                Ok(())
            }
            "done" => {
                let counts = std::mem::take(&mut self.counts);
                let received = self.catalogue.count_stock(&counts).await?;
                self.send(&json!({"received": received})).await
            }
            "quote" => {
                let wish = WishInput { product_id: asked.product_id, quantity: asked.quantity };
                let quote = self.catalogue.quote(wish).await?;
                self.send(&quote).await
            }
            _ => Err(Refusal::new(Kind::Invalid, "op must be watch, count, done or quote")),
        }
    }

    async fn send(&mut self, value: &impl Serialize) -> Result<()> {
        send(&mut self.socket, value).await
    }
}

async fn send(socket: &mut WebSocket, value: &impl Serialize) -> Result<()> {
    let gone = |_| Refusal::new(Kind::Unavailable, "the client has gone");
    let text = serde_json::to_string(value).map_err(|error| Refusal::new(Kind::Internal, error.to_string()))?;
    socket.send(Message::Text(text.into())).await.map_err(gone)
}
