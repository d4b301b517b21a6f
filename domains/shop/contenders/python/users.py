"""The service of users over its store."""

import asyncio
from typing import Protocol

from asyncpg import Record

from credentials import hash_password, identify, is_password, token
from refusal import Refusal
from store import Store
from types_ import Address, Login, NewUser, Session, Shipping, User, UserInput

COLUMNS = "id, email, name, registered_on::text"


class UserService(Protocol):
    """What other services ask of this one."""

    async def read(self, id: int) -> User: ...

    async def shipping(self, token: str, address_id: int) -> Shipping: ...


class Users:
    """Users with their addresses."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def read(self, id: int) -> User:
        row = await self._store.fetchrow(f"SELECT {COLUMNS} FROM users WHERE id = $1", id)
        return await self._with_addresses(row)

    async def _with_addresses(self, row: Record | None) -> User:
        if row is None:
            raise Refusal("not_found", "there is no such user")
        addresses = await self._store.fetch(
            "SELECT id, street, city, postal_code, country FROM addresses"
            " WHERE user_id = $1 ORDER BY id",
            row["id"],
        )
        return User(**row, addresses=[Address(**address) for address in addresses])

    async def create(self, user: NewUser) -> User:
        hashed = await asyncio.to_thread(hash_password, user.password)
        async with self._store.acquire() as connection, connection.transaction():
            row = await connection.fetchrow(
                "INSERT INTO users (email, name, password_hash) VALUES ($1, $2, $3)"
                f" RETURNING {COLUMNS}",
                user.email,
                user.name,
                hashed,
            )
            address = await connection.fetchrow(
                "INSERT INTO addresses (user_id, street, city, postal_code, country)"
                " VALUES ($1, $2, $3, $4, $5) RETURNING id, street, city, postal_code, country",
                row["id"],
                user.address.street,
                user.address.city,
                user.address.postal_code,
                user.address.country,
            )
        return User(**row, addresses=[Address(**address)])

    async def update(self, id: int, user: UserInput) -> User:
        row = await self._store.fetchrow(
            f"UPDATE users SET email = $2, name = $3 WHERE id = $1 RETURNING {COLUMNS}",
            id,
            user.email,
            user.name,
        )
        return await self._with_addresses(row)

    async def delete(self, id: int) -> int:
        if await self._store.fetchval("DELETE FROM users WHERE id = $1 RETURNING id", id) is None:
            raise Refusal("not_found", "there is no such user")
        return id

    async def login(self, login: Login) -> Session:
        """Log in; it is not told whether it is the user or the password that is wrong."""
        row = await self._store.fetchrow(
            "SELECT name, password_hash FROM users WHERE id = $1", login.user_id
        )
        if row is None or not await asyncio.to_thread(
            is_password, login.password, row["password_hash"]
        ):
            raise Refusal("unauthenticated", "user or password is wrong")
        return Session(login.user_id, row["name"], token(login.user_id))

    async def shipping(self, token: str, address_id: int) -> Shipping:
        """Say whose token it is, and where one of the user's addresses is."""
        row = await self._store.fetchrow(
            "SELECT user_id, street || ', ' || postal_code || ' ' || city || ', ' || country"
            " AS ship_to FROM addresses WHERE id = $1 AND user_id = $2",
            address_id,
            identify(token),
        )
        if row is None:
            raise Refusal("not_found", "there is no such user, or no such address of this user")
        return Shipping(**row)
