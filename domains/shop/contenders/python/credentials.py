"""Passwords, and the token that a login answers."""

import hashlib
import hmac
import secrets

from refusal import Refusal

PASSWORD_COST = 1000
"""How many iterations of PBKDF2-HMAC-SHA256 a new password gets; an old one says it."""

TOKEN_KEY = b"wirelab-shop"


def hash_password(password: str) -> str:
    """Return a password as it is kept."""
    salt = secrets.token_bytes(16)
    hashed = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, PASSWORD_COST)
    return f"$pbkdf2-sha256$i={PASSWORD_COST}${salt.hex()}${hashed.hex()}"


def is_password(password: str, kept: str) -> bool:
    """Tell whether this is the password that is kept so."""
    _, _, cost, salt, right = kept.split("$")
    hashed = hashlib.pbkdf2_hmac(
        "sha256", password.encode(), bytes.fromhex(salt), int(cost.removeprefix("i="))
    )
    return hmac.compare_digest(hashed, bytes.fromhex(right))


def token(user_id: int) -> str:
    """Return the token of a user."""
    return f"{user_id}.{hmac.digest(TOKEN_KEY, str(user_id).encode(), 'sha256').hex()}"


def identify(given: str) -> int:
    """Return whose token it is."""
    name = given.partition(".")[0]
    is_number = name.isascii() and name.isdecimal() and len(name) <= 10
    if is_number and hmac.compare_digest(given.encode(errors="replace"), token(int(name)).encode()):
        return int(name)
    raise Refusal("unauthenticated", "the token is wrong")
