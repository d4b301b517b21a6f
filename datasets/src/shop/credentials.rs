//! The credentials of the shop's users: hashed passwords, and the tokens that logins return.

use std::fmt::Write;

use hmac::{Hmac, KeyInit, Mac};
use pbkdf2::pbkdf2_hmac;
use sha2::Sha256;

use crate::random::Random;

/// The key that signs tokens. It is not secret: the contenders use the same one.
const TOKEN_KEY: &[u8] = b"wirelab-shop";

/// The hash of a password, in hexadecimal: `$pbkdf2-sha256$i=ITERATIONS$SALT$HASH`.
pub fn password_hash(random: &mut Random, password: &str, iterations: u32) -> String {
    let salt: [u8; 16] = std::array::from_fn(|_| random.below(256) as u8);
    let mut hash = [0; 32];
    pbkdf2_hmac::<Sha256>(password.as_bytes(), &salt, iterations, &mut hash);
    format!(
        "$pbkdf2-sha256$i={iterations}${}${}",
        hex(&salt),
        hex(&hash)
    )
}

/// The token of a user: the id and its HMAC-SHA256. It does not expire, so that a login has a
/// single correct answer.
pub fn token(user: u64) -> String {
    let mut mac = match Hmac::<Sha256>::new_from_slice(TOKEN_KEY) {
        Ok(mac) => mac,
        Err(_) => unreachable!("HMAC takes keys of any length"),
    };
    mac.update(user.to_string().as_bytes());
    format!("{user}.{}", hex(&mac.finalize().into_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}"); // a String takes everything
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// hashlib.pbkdf2_hmac("sha256", b"password", salt, 1000) and
    /// hmac.digest(b"wirelab-shop", b"7", "sha256") of Python 3.11 give these.
    #[test]
    fn hash_and_token_equal_those_of_other_libraries() {
        let hash = password_hash(&mut Random::for_row(1, "user", 1), "password", 1000);
        let parts: Vec<&str> = hash.split('$').collect();

        assert_eq!(parts[1..3], ["pbkdf2-sha256", "i=1000"]);
        assert_eq!(parts[3], "0f5e4b3b49bad833fd99a0562199a165");
        assert_eq!(
            parts[4],
            "68af832df81b1285f7967c6c502fc90789ebdbf2aef9d9565dc6e0ea02f02a4c"
        );
        assert_eq!(
            token(7),
            "7.8ad54db2fddbaf69c5cc5e8a3629cd46a91bc0d72ee80d25bfe4ce5f47a12af9"
        );
    }

    #[test]
    fn no_two_users_share_a_salt() {
        let hash = |row| password_hash(&mut Random::for_row(1, "user", row), "password", 1);

        assert_ne!(hash(1), hash(2));
    }
}
