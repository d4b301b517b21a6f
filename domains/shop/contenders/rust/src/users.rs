//! The service of users over its store.

use garde::Validate;

use crate::credentials::{hash_password, identify, is_password, token};
use crate::refusal::{Kind, Refusal, Result};
use crate::store::{Store, all, one, rows};
use crate::types::{Address, Login, NewUser, Session, Shipping, User, UserInput};

const USER: &str = "id, email, name, registered_on::text";
const ADDRESS: &str = "id, street, city, postal_code, country";

#[derive(Clone)]
pub struct Users(pub Store);

impl Users {
    pub async fn read(&self, id: i32) -> Result<User> {
        let user = self.0.one("user", &format!("SELECT {USER} FROM users WHERE id = $1"), &[&id]).await?;
        self.with_addresses(user).await
    }

    async fn with_addresses(&self, mut user: User) -> Result<User> {
        let sql = format!("SELECT {ADDRESS} FROM addresses WHERE user_id = $1 ORDER BY id");
        user.addresses = self.0.all(&sql, &[&user.id]).await?;
        Ok(user)
    }

    pub async fn create(&self, input: NewUser) -> Result<User> {
        input.validate()?;
        let hash = hash_password(&input.password);
        let mut connection = self.0.connection().await?;
        let transaction = connection.transaction().await?;
        let sql = format!("INSERT INTO users (email, name, password_hash) VALUES ($1, $2, $3) RETURNING {USER}");
        let mut user: User = one(&transaction, "user", &sql, &[&input.email, &input.name, &hash]).await?;
        let sql = format!(
            "INSERT INTO addresses (user_id, street, city, postal_code, country) VALUES ($1, $2, $3, $4, $5) RETURNING {ADDRESS}"
        );
        let it = &input.address;
        user.addresses =
            all::<Address>(&transaction, &sql, &[&user.id, &it.street, &it.city, &it.postal_code, &it.country]).await?;
        transaction.commit().await?;
        Ok(user)
    }

    pub async fn update(&self, id: i32, input: UserInput) -> Result<User> {
        input.validate()?;
        let sql = format!("UPDATE users SET email = $2, name = $3 WHERE id = $1 RETURNING {USER}");
        self.with_addresses(self.0.one("user", &sql, &[&id, &input.email, &input.name]).await?).await
    }

    pub async fn delete(&self, id: i32) -> Result<i32> {
        self.0.one("user", "DELETE FROM users WHERE id = $1 RETURNING id", &[&id]).await
    }

    /// Does not tell whether it is the user or the password that is wrong.
    pub async fn login(&self, login: Login) -> Result<Session> {
        login.validate()?;
        let sql = "SELECT name, password_hash FROM users WHERE id = $1";
        let found = rows(&self.0.connection().await?, sql, &[&login.user_id]).await?;
        found
            .first()
            .filter(|known| is_password(&login.password, known.get(1)))
            .map(|known| Session { user_id: login.user_id, name: known.get(0), token: token(login.user_id) })
            .ok_or_else(|| Refusal::new(Kind::Unauthenticated, "user or password is wrong"))
    }

    /// Says whose token it is, and where one of the user's addresses is.
    pub async fn shipping(&self, token: &str, address_id: i32) -> Result<Shipping> {
        let user_id = identify(token)?;
        let sql = "SELECT user_id, street || ', ' || postal_code || ' ' || city || ', ' || country
                   FROM addresses WHERE id = $1 AND user_id = $2";
        let found = rows(&self.0.connection().await?, sql, &[&address_id, &user_id]).await?;
        found
            .first()
            .map(|row| Shipping { user_id: row.get(0), ship_to: row.get(1) })
            .ok_or_else(|| Refusal::not_found("user, or no such address of this user"))
    }
}
