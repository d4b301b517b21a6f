package shop

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Users is the service of users over its store.
type Users struct{ store *Store }

const userColumns = "id, email, name, registered_on::text"

func (users *Users) Read(ctx context.Context, id int32) (*User, error) {
	user, err := one[User](ctx, users.store, "user", "SELECT "+userColumns+" FROM users WHERE id = $1", id)
	if err != nil {
		return nil, err
	}
	return users.withAddresses(ctx, user)
}

func (users *Users) withAddresses(ctx context.Context, user *User) (*User, error) {
	var err error
	user.Addresses, err = all[Address](ctx, users.store,
		"SELECT id, street, city, postal_code, country FROM addresses WHERE user_id = $1 ORDER BY id", user.ID)
	return user, err
}

func (users *Users) Create(ctx context.Context, input NewUser) (*User, error) {
	if err := check(input); err != nil {
		return nil, err
	}
	hash, err := hashPassword(input.Password)
	if err != nil {
		return nil, err
	}
	var user *User
	err = users.store.transaction(ctx, func(tx pgx.Tx) error {
		user, err = one[User](ctx, tx, "user",
			"INSERT INTO users (email, name, password_hash) VALUES ($1, $2, $3) RETURNING "+userColumns,
			input.Email, input.Name, hash)
		if err != nil {
			return err
		}
		address := input.Address
		user.Addresses, err = all[Address](ctx, tx,
			`INSERT INTO addresses (user_id, street, city, postal_code, country) VALUES ($1, $2, $3, $4, $5)
			 RETURNING id, street, city, postal_code, country`,
			user.ID, address.Street, address.City, address.PostalCode, address.Country)
		return err
	})
	return user, err
}

func (users *Users) Update(ctx context.Context, id int32, input UserInput) (*User, error) {
	if err := check(input); err != nil {
		return nil, err
	}
	user, err := one[User](ctx, users.store, "user",
		"UPDATE users SET email = $2, name = $3 WHERE id = $1 RETURNING "+userColumns, id, input.Email, input.Name)
	if err != nil {
		return nil, err
	}
	return users.withAddresses(ctx, user)
}

func (users *Users) Delete(ctx context.Context, id int32) (int32, error) {
	return scalar[int32](ctx, users.store, "user", "DELETE FROM users WHERE id = $1 RETURNING id", id)
}

// Login does not tell whether it is the user or the password that is wrong.
func (users *Users) Login(ctx context.Context, userID int32, password string) (*Session, error) {
	if !isText(password, 100) {
		return nil, Refuse(Invalid, "a password has 1 to 100 characters, no control characters")
	}
	type known struct{ Name, PasswordHash string }
	found, err := all[known](ctx, users.store, "SELECT name, password_hash FROM users WHERE id = $1", userID)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 || !isPassword(password, found[0].PasswordHash) {
		return nil, Refuse(Unauthenticated, "user or password is wrong")
	}
	return &Session{userID, found[0].Name, token(userID)}, nil
}

// Shipping says whose token it is, and where one of the user's addresses is.
func (users *Users) Shipping(ctx context.Context, token string, addressID int32) (*Shipping, error) {
	userID, err := identify(token)
	if err != nil {
		return nil, err
	}
	return one[Shipping](ctx, users.store, "user, or no such address of this user",
		`SELECT user_id, street || ', ' || postal_code || ' ' || city || ', ' || country AS ship_to
		 FROM addresses WHERE id = $1 AND user_id = $2`, addressID, userID)
}
