//! What happened to products, in order.

use async_stream::try_stream;
use futures_util::Stream;
use garde::Validate;

use crate::catalogue::Catalogue;
use crate::refusal::{Refusal, Result};
use crate::types::{ProductEvent, Watch};

const AT_ONCE: i32 = 200;

impl Catalogue {
    /// Gives events in their order, those that have not happened yet when they do.
    pub fn watch(&self, mut watch: Watch) -> Result<impl Stream<Item = Result<ProductEvent>> + Send + use<>> {
        watch.validate()?;
        let catalogue = self.clone();
        Ok(try_stream! {
            while watch.count > 0 {
                let mut next = catalogue.news.subscribe(); // before the store is asked, so that nothing is missed
                let sql = "SELECT id, product_id, kind, price_cents, stock FROM product_events WHERE id > $1 ORDER BY id LIMIT $2";
                let limit = i64::from(watch.count.min(AT_ONCE));
                let events: Vec<ProductEvent> = catalogue.store.all(sql, &[&watch.after, &limit]).await?;
                if events.is_empty() {
                    next.changed().await.map_err(|_| Refusal::too_late())?;
                }
                for event in events {
                    watch = Watch { after: event.id, count: watch.count - 1 };
                    yield event;
                }
            }
        })
    }
}
