// Package shop is what can be done in the shop, over PostgreSQL and over other services: all that the
// protocols have in common.
package shop

import "context"

type Product struct {
	ID          int32     `json:"id"`
	Title       string    `json:"title"`
	Description string    `json:"description"`
	PriceCents  int32     `json:"priceCents"`
	Stock       int32     `json:"stock"`
	Pictures    []string  `json:"pictures"`
	Reviews     []*Review `json:"reviews,omitzero" db:"-"`
}

type ProductInput struct {
	Title       string   `json:"title" validate:"text=200"`
	Description string   `json:"description" validate:"text=2000"`
	PriceCents  int32    `json:"priceCents" validate:"min=1,max=100000000"`
	Stock       int32    `json:"stock" validate:"min=0,max=1000000"`
	Pictures    []string `json:"pictures" validate:"max=10,dive,picture"`
}

type Review struct {
	ID        int32  `json:"id"`
	ProductID int32  `json:"productId"`
	UserID    int32  `json:"userId"`
	Rating    int32  `json:"rating"`
	Headline  string `json:"headline"`
	Body      string `json:"body"`
	WrittenOn string `json:"writtenOn"`
}

type ReviewInput struct {
	Rating   int32  `json:"rating" validate:"min=1,max=5"`
	Headline string `json:"headline" validate:"text=200"`
	Body     string `json:"body" validate:"text=2000"`
}

type User struct {
	ID           int32      `json:"id"`
	Email        string     `json:"email"`
	Name         string     `json:"name"`
	RegisteredOn string     `json:"registeredOn"`
	Addresses    []*Address `json:"addresses" db:"-"`
}

type Address struct {
	ID         int32  `json:"id"`
	Street     string `json:"street"`
	City       string `json:"city"`
	PostalCode string `json:"postalCode"`
	Country    string `json:"country"`
}

type AddressInput struct {
	Street     string `json:"street" validate:"text=200"`
	City       string `json:"city" validate:"text=200"`
	PostalCode string `json:"postalCode" validate:"text=20"`
	Country    string `json:"country" validate:"country"`
}

type NewUser struct {
	Email    string       `json:"email" validate:"mailbox"`
	Name     string       `json:"name" validate:"text=200"`
	Password string       `json:"password" validate:"text=100,min=8"`
	Address  AddressInput `json:"address"`
}

type UserInput struct {
	Email string `json:"email" validate:"mailbox"`
	Name  string `json:"name" validate:"text=200"`
}

type Session struct {
	UserID int32  `json:"userId"`
	Name   string `json:"name"`
	Token  string `json:"token"`
}

type Shipping struct {
	UserID int32  `json:"userId"`
	ShipTo string `json:"shipTo"`
}

type Order struct {
	ID         int32        `json:"id"`
	UserID     int32        `json:"userId"`
	PlacedOn   string       `json:"placedOn"`
	Status     string       `json:"status"`
	TotalCents int32        `json:"totalCents"`
	ShipTo     string       `json:"shipTo"`
	Payment    Payment      `json:"payment"`
	Lines      []*OrderLine `json:"lines" db:"-"`
}

type Payment struct {
	AmountCents int32  `json:"amountCents"`
	CardEnding  string `json:"cardEnding"`
	PaidOn      string `json:"paidOn"`
}

type OrderLine struct {
	ProductID      int32    `json:"productId"`
	Quantity       int32    `json:"quantity"`
	UnitPriceCents int32    `json:"unitPriceCents"`
	Product        *Product `json:"product,omitempty" db:"-"`
}

type WishInput struct {
	ProductID int32 `json:"productId"`
	Quantity  int32 `json:"quantity" validate:"min=1,max=1000000"`
}

// Wishes is what one checkout wants.
type Wishes struct {
	Lines []*WishInput `json:"lines" validate:"min=1,max=50,unique=ProductID,dive,required"`
}

type CheckoutInput struct {
	Token          string       `json:"token"`
	AddressID      int32        `json:"addressId"`
	Lines          []*WishInput `json:"lines" validate:"min=1,max=50,unique=ProductID,dive,required"`
	CardNumber     string       `json:"cardNumber" validate:"card"`
	IdempotencyKey *string      `json:"idempotencyKey,omitempty" validate:"omitnil,max=100"`
}

type ProductEvent struct {
	ID         int32  `json:"id"`
	ProductID  int32  `json:"productId"`
	Kind       string `json:"kind"`
	PriceCents int32  `json:"priceCents"`
	Stock      int32  `json:"stock"`
}

type StockCount struct {
	ProductID int32 `json:"productId"`
	Stock     int32 `json:"stock" validate:"min=0,max=1000000"`
}

type Quote struct {
	ProductID      int32 `json:"productId"`
	Quantity       int32 `json:"quantity"`
	UnitPriceCents int32 `json:"unitPriceCents"`
	Available      bool  `json:"available"`
}

// Page is which rows of many.
type Page struct {
	After int32 `validate:"min=0"`
	Limit int32 `validate:"min=1,max=100"`
}

// Watch is which events, until the stream ends.
type Watch struct {
	After int32 `json:"after" validate:"min=0"`
	Count int32 `json:"count" validate:"min=1,max=1000000"`
}

// UserService is what other services ask the service of users.
type UserService interface {
	Read(ctx context.Context, id int32) (*User, error)
	Shipping(ctx context.Context, token string, addressID int32) (*Shipping, error)
}

// CatalogueService is what other services ask the catalogue.
type CatalogueService interface {
	ByID(ctx context.Context, ids []int32) ([]*Product, error)
	Reserve(ctx context.Context, key string, wishes Wishes) ([]int32, error)
	Release(ctx context.Context, key string) error
}

// Shop is what one program serves: all of it, or one service of the three. What is nil another
// program serves.
type Shop struct {
	Users     *Users
	Catalogue *Catalogue
	Orders    *Orders

	// AnyUsers and AnyCatalogue are these services wherever they are.
	AnyUsers     UserService
	AnyCatalogue CatalogueService
}
