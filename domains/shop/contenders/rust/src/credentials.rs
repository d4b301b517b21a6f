//! Passwords and tokens.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::refusal::{Kind, Refusal, Result};

/// How many iterations of PBKDF2-HMAC-SHA256 a new password gets; an old one says it.
const PASSWORD_COST: u32 = 1000;
const TOKEN_KEY: &[u8] = b"wirelab-shop";

pub fn hash_password(password: &str) -> String {
    let salt: [u8; 16] = rand::random();
    let hash = derived(password, &salt, PASSWORD_COST);
    format!("$pbkdf2-sha256$i={PASSWORD_COST}${}${}", hex(&salt), hex(&hash))
}

pub fn is_password(password: &str, kept: &str) -> bool {
    let ["", "pbkdf2-sha256", cost, salt, hash] = kept.split('$').collect::<Vec<_>>()[..] else {
        return false;
    };
    let (Some(Ok(cost)), Some(salt)) = (cost.strip_prefix("i=").map(str::parse), unhex(salt)) else {
        return false;
    };
    same(hex(&derived(password, &salt, cost)).as_bytes(), hash.as_bytes())
}

fn derived(password: &str, salt: &[u8], cost: u32) -> [u8; 32] {
    pbkdf2::pbkdf2_hmac_array::<Sha256, 32>(password.as_bytes(), salt, cost)
}

pub fn token(user_id: i32) -> String {
    let name = user_id.to_string();
    let mut mac = Hmac::<Sha256>::new_from_slice(TOKEN_KEY).unwrap_or_else(|_| unreachable!("HMAC takes any key"));
    mac.update(name.as_bytes());
    format!("{name}.{}", hex(&mac.finalize().into_bytes()))
}

/// Tells whose token it is.
pub fn identify(given: &str) -> Result<i32> {
    given
        .split_once('.')
        .and_then(|(name, _)| name.parse().ok())
        .filter(|user_id| same(token(*user_id).as_bytes(), given.as_bytes()))
        .ok_or_else(|| Refusal::new(Kind::Unauthenticated, "the token is wrong"))
}

/// Compares in a time that does not tell where two differ.
fn same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |different, (a, b)| different | (a ^ b)) == 0
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok()).collect()
}
