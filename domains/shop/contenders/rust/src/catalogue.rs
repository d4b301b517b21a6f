//! The service of the catalogue over its store.

use std::sync::Arc;

use garde::Validate;
use tokio::sync::watch;

use crate::refusal::Result;
use crate::store::{Store, Values, changed, grouped, one};
use crate::types::{Page, Product, ProductInput, Review, ReviewInput};
use crate::users::Users;

/// How many reviews come with a product.
const REVIEWS_SHOWN: i32 = 5;

pub const PRODUCT: &str = "id, title, description, price_cents, stock, pictures";
const REVIEW: &str = "id, product_id, user_id, rating, headline, body, written_on::text";

/// Gives events their ids in the order in which they are committed: the lock is held from before the id is drawn until
/// the transaction ends.
const ADD_EVENT: &str = "INSERT INTO product_events (product_id, kind, price_cents, stock)
    SELECT $1::int, $2::text, $3::int, $4::int FROM pg_advisory_xact_lock(13)";

#[derive(Clone)]
pub struct Catalogue {
    pub store: Store,
    users: Users,
    /// Wakes those who wait for something to happen in this program.
    pub news: Arc<watch::Sender<()>>,
}

impl Catalogue {
    pub fn new(store: Store, users: Users) -> Self {
        Self { store, users, news: Arc::new(watch::Sender::new(())) }
    }

    pub async fn list(&self, page: Page) -> Result<Vec<Product>> {
        page.validate()?;
        let sql = format!("SELECT {PRODUCT} FROM products WHERE id > $1 ORDER BY id LIMIT $2");
        self.store.all(&sql, &[&page.after, &i64::from(page.limit)]).await
    }

    pub async fn by_id(&self, ids: &[i32]) -> Result<Vec<Product>> {
        let sql = format!("SELECT {PRODUCT} FROM products WHERE id = ANY($1) ORDER BY id");
        self.store.all(&sql, &[&ids]).await
    }

    pub async fn read(&self, id: i32) -> Result<Product> {
        self.store.one("product", &format!("SELECT {PRODUCT} FROM products WHERE id = $1"), &[&id]).await
    }

    /// Puts the newest reviews into products, by one statement for all of them.
    pub async fn with_reviews(&self, mut products: Vec<Product>) -> Result<Vec<Product>> {
        let ids: Vec<i32> = products.iter().map(|product| product.id).collect();
        let mut reviews = grouped(self.reviews_of(&ids, REVIEWS_SHOWN).await?);
        for product in &mut products {
            product.reviews = Some(reviews.remove(&product.id).unwrap_or_default());
        }
        Ok(products)
    }

    /// The newest reviews of each product, with its id.
    pub async fn reviews_of(&self, products: &[i32], limit: i32) -> Result<Vec<(i32, Review)>> {
        Page { after: 0, limit }.validate()?;
        let sql = format!(
            "SELECT review.* FROM unnest($1::int[]) AS product (id) CROSS JOIN LATERAL
             (SELECT {REVIEW} FROM reviews WHERE product_id = product.id ORDER BY id DESC LIMIT $2) AS review"
        );
        let reviews: Vec<Review> = self.store.all(&sql, &[&products, &i64::from(limit)]).await?;
        Ok(reviews.into_iter().map(|review| (review.product_id, review)).collect())
    }

    pub async fn create(&self, input: ProductInput) -> Result<Product> {
        input.validate()?;
        let sql = format!(
            "INSERT INTO products (title, description, price_cents, stock, pictures) VALUES ($1, $2, $3, $4, $5) RETURNING {PRODUCT}"
        );
        let values: Values = &[&input.title, &input.description, &input.price_cents, &input.stock, &input.pictures];
        self.change("created", &sql, values).await
    }

    pub async fn update(&self, id: i32, input: ProductInput) -> Result<Product> {
        input.validate()?;
        let sql = format!(
            "UPDATE products SET title = $2, description = $3, price_cents = $4, stock = $5, pictures = $6 WHERE id = $1 RETURNING {PRODUCT}"
        );
        let values: Values =
            &[&id, &input.title, &input.description, &input.price_cents, &input.stock, &input.pictures];
        self.change("changed", &sql, values).await
    }

    pub async fn delete(&self, id: i32) -> Result<i32> {
        self.change("deleted", &format!("DELETE FROM products WHERE id = $1 RETURNING {PRODUCT}"), &[&id]).await?;
        Ok(id)
    }

    /// Carries out a statement about one product and adds what happened to the events.
    async fn change(&self, kind: &str, sql: &str, values: Values<'_>) -> Result<Product> {
        let mut connection = self.store.connection().await?;
        let transaction = connection.transaction().await?;
        let product: Product = one(&transaction, "product", sql, values).await?;
        changed(&transaction, ADD_EVENT, &[&product.id, &kind, &product.price_cents, &product.stock]).await?;
        transaction.commit().await?;
        self.news.send_replace(());
        Ok(product)
    }

    /// Asks the service of users whether there is the user.
    pub async fn create_review(&self, product_id: i32, user_id: i32, input: ReviewInput) -> Result<Review> {
        input.validate()?;
        self.users.read(user_id).await?;
        let sql = format!(
            "INSERT INTO reviews (product_id, user_id, rating, headline, body)
             SELECT id, $2, $3, $4, $5 FROM products WHERE id = $1 FOR KEY SHARE RETURNING {REVIEW}"
        );
        let values: Values = &[&product_id, &user_id, &input.rating, &input.headline, &input.body];
        self.store.one("product", &sql, values).await
    }

    pub async fn read_review(&self, id: i32) -> Result<Review> {
        self.store.one("review", &format!("SELECT {REVIEW} FROM reviews WHERE id = $1"), &[&id]).await
    }

    pub async fn update_review(&self, id: i32, input: ReviewInput) -> Result<Review> {
        input.validate()?;
        let sql = format!("UPDATE reviews SET rating = $2, headline = $3, body = $4 WHERE id = $1 RETURNING {REVIEW}");
        self.store.one("review", &sql, &[&id, &input.rating, &input.headline, &input.body]).await
    }

    pub async fn delete_review(&self, id: i32) -> Result<i32> {
        self.store.one("review", "DELETE FROM reviews WHERE id = $1 RETURNING id", &[&id]).await
    }
}
