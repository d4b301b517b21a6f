// Package rest is the shop as REST: chi on net/http, errors as application/problem+json (RFC 9457).
package rest

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"wirelab.example/shop/caching"
	"wirelab.example/shop/messages"
	"wirelab.example/shop/shop"
	"wirelab.example/shop/shoppb"
)

const (
	description   = "../../openapi.yaml"
	timeoutHeader = "X-Request-Timeout-Ms"
	gzipLevel     = 5
)

// New gives the resources of the services that this program serves; cached, caches may keep what it says of
// the catalogue.
func New(it *shop.Shop, compressed, cached bool) http.Handler {
	router := chi.NewRouter()
	router.Use(deadline)
	if compressed {
		router.Use(middleware.Compress(gzipLevel, "application/json", protobufType))
	}
	router.NotFound(func(w http.ResponseWriter, r *http.Request) {
		refuse(w, shop.Refuse(shop.NotFound, "there is nothing at %s", r.URL.Path))
	})
	router.Get("/ping", func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, http.StatusOK, status{"ok"}, &shoppb.PingResponse{Status: "ok"})
	})
	router.Get("/openapi.yaml", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/yaml")
		http.ServeFile(w, r, description)
	})
	if it.Catalogue != nil {
		router.Group(func(router chi.Router) {
			if cached {
				router.Use(caching.Public)
			}
			catalogueRoutes(router, it.Catalogue)
		})
		router.Get("/product-events", watchProducts(it.Catalogue))
		router.Get("/stream", converse(it.Catalogue))
	}
	if it.Users != nil {
		userRoutes(router, it.Users)
	}
	if it.Orders != nil {
		orderRoutes(router, it.Orders)
	}
	return router
}

type status struct {
	Status string `json:"status"`
}
type number struct {
	ID int32 `json:"id"`
}
type productList struct {
	Products []*shop.Product `json:"products"`
}
type reviewList struct {
	Reviews []*shop.Review `json:"reviews"`
}
type orderList struct {
	Orders []*shop.Order `json:"orders"`
}
type reserved struct {
	UnitPricesCents []int32 `json:"unitPricesCents"`
}

// newReview is what stands in the path beside, with the words of a review.
type newReview struct {
	UserID int32 `json:"userId"`
	shop.ReviewInput
}
type login struct {
	UserID   int32  `json:"userId"`
	Password string `json:"password"`
}
type orderStatus struct {
	Status string `json:"status"`
}
type shippingRequest struct {
	Token     string `json:"token"`
	AddressID int32  `json:"addressId"`
}

func catalogueRoutes(router chi.Router, catalogue *shop.Catalogue) {
	router.Get("/products", func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		var products []*shop.Product
		var err error
		if query.Has("ids") {
			var ids []int32
			if ids, err = numbers(query.Get("ids")); err == nil {
				products, err = catalogue.ByID(r.Context(), ids)
			}
		} else {
			var page shop.Page
			if page, err = pageOf(r); err == nil {
				products, err = catalogue.List(r.Context(), page)
			}
		}
		if err == nil && query.Get("include") == "reviews" {
			err = catalogue.WithReviews(r.Context(), products...)
		}
		reply(w, r, http.StatusOK, productList{products}, err, func() message { return messages.Products(products) })
	})
	router.Post("/products", func(w http.ResponseWriter, r *http.Request) {
		input, err := body(r, messages.ProductInput)
		product, err := then(err, func() (*shop.Product, error) { return catalogue.Create(r.Context(), input) })
		reply(w, r, http.StatusCreated, product, err, func() message { return messages.Product(product) })
	})
	router.Get("/products/{id}", func(w http.ResponseWriter, r *http.Request) {
		id, err := idOf(r)
		product, err := then(err, func() (*shop.Product, error) { return catalogue.Read(r.Context(), id) })
		if err == nil && r.URL.Query().Get("include") == "reviews" {
			err = catalogue.WithReviews(r.Context(), product)
		}
		reply(w, r, http.StatusOK, product, err, func() message { return messages.Product(product) })
	})
	router.Put("/products/{id}", func(w http.ResponseWriter, r *http.Request) {
		id, err := idOf(r)
		input, err := then(err, func() (shop.ProductInput, error) { return body(r, messages.ProductInput) })
		product, err := then(err, func() (*shop.Product, error) { return catalogue.Update(r.Context(), id, input) })
		reply(w, r, http.StatusOK, product, err, func() message { return messages.Product(product) })
	})
	router.Delete("/products/{id}", deleting(catalogue.Delete))
	router.Get("/products/{id}/reviews", func(w http.ResponseWriter, r *http.Request) {
		id, err := idOf(r)
		page, err := then(err, func() (shop.Page, error) { return pageOf(r) })
		product, err := then(err, func() (*shop.Product, error) { return catalogue.Read(r.Context(), id) })
		lists, err := then(err, func() ([][]*shop.Review, error) {
			return catalogue.ReviewsOf(r.Context(), []int32{product.ID}, page.Limit)
		})
		if err != nil {
			refuse(w, err)
			return
		}
		answer(w, r, http.StatusOK, reviewList{lists[0]}, &shoppb.Product{Reviews: messages.Reviews(lists[0])})
	})
	router.Post("/products/{id}/reviews", func(w http.ResponseWriter, r *http.Request) {
		id, err := idOf(r)
		input, err := then(err, func() (newReview, error) {
			return body(r, func(it *shoppb.NewReview) newReview {
				return newReview{it.UserId, messages.ReviewInput(it.Review)}
			})
		})
		review, err := then(err, func() (*shop.Review, error) {
			return catalogue.CreateReview(r.Context(), id, input.UserID, input.ReviewInput)
		})
		reply(w, r, http.StatusCreated, review, err, func() message { return messages.Review(review) })
	})
	router.Get("/reviews/{id}", func(w http.ResponseWriter, r *http.Request) {
		id, err := idOf(r)
		review, err := then(err, func() (*shop.Review, error) { return catalogue.ReadReview(r.Context(), id) })
		reply(w, r, http.StatusOK, review, err, func() message { return messages.Review(review) })
	})
	router.Put("/reviews/{id}", func(w http.ResponseWriter, r *http.Request) {
		id, err := idOf(r)
		input, err := then(err, func() (shop.ReviewInput, error) { return body(r, messages.ReviewInput) })
		review, err := then(err, func() (*shop.Review, error) { return catalogue.UpdateReview(r.Context(), id, input) })
		reply(w, r, http.StatusOK, review, err, func() message { return messages.Review(review) })
	})
	router.Delete("/reviews/{id}", deleting(catalogue.DeleteReview))
	router.Put("/reservations/{key}", func(w http.ResponseWriter, r *http.Request) {
		wishes, err := body(r, func(it *shoppb.Reservation) shop.Wishes { return messages.Wishes(it.Lines) })
		prices, err := then(err, func() ([]int32, error) {
			return catalogue.Reserve(r.Context(), chi.URLParam(r, "key"), wishes)
		})
		reply(w, r, http.StatusOK, reserved{prices}, err, func() message { return &shoppb.Reserved{UnitPricesCents: prices} })
	})
	router.Delete("/reservations/{key}", func(w http.ResponseWriter, r *http.Request) {
		err := catalogue.Release(r.Context(), chi.URLParam(r, "key"))
		reply(w, r, http.StatusOK, struct{}{}, err, func() message { return &shoppb.ReleaseResponse{} })
	})
}

func userRoutes(router chi.Router, users *shop.Users) {
	router.Post("/sessions", func(w http.ResponseWriter, r *http.Request) {
		input, err := body(r, func(it *shoppb.LoginRequest) login { return login{it.UserId, it.Password} })
		session, err := then(err, func() (*shop.Session, error) {
			return users.Login(r.Context(), input.UserID, input.Password)
		})
		reply(w, r, http.StatusOK, session, err, func() message { return messages.Session(session) })
	})
	router.Post("/users", func(w http.ResponseWriter, r *http.Request) {
		input, err := body(r, messages.NewUser)
		user, err := then(err, func() (*shop.User, error) { return users.Create(r.Context(), input) })
		reply(w, r, http.StatusCreated, user, err, func() message { return messages.User(user) })
	})
	router.Get("/users/{id}", func(w http.ResponseWriter, r *http.Request) {
		id, err := idOf(r)
		user, err := then(err, func() (*shop.User, error) { return users.Read(r.Context(), id) })
		reply(w, r, http.StatusOK, user, err, func() message { return messages.User(user) })
	})
	router.Put("/users/{id}", func(w http.ResponseWriter, r *http.Request) {
		id, err := idOf(r)
		input, err := then(err, func() (shop.UserInput, error) { return body(r, messages.UserInput) })
		user, err := then(err, func() (*shop.User, error) { return users.Update(r.Context(), id, input) })
		reply(w, r, http.StatusOK, user, err, func() message { return messages.User(user) })
	})
	router.Delete("/users/{id}", deleting(users.Delete))
	router.Post("/shipping", func(w http.ResponseWriter, r *http.Request) {
		input, err := body(r, func(it *shoppb.ShippingRequest) shippingRequest {
			return shippingRequest{it.Token, it.AddressId}
		})
		shipping, err := then(err, func() (*shop.Shipping, error) {
			return users.Shipping(r.Context(), input.Token, input.AddressID)
		})
		reply(w, r, http.StatusOK, shipping, err, func() message { return messages.Shipping(shipping) })
	})
}

func orderRoutes(router chi.Router, orders *shop.Orders) {
	router.Get("/users/{id}/orders", func(w http.ResponseWriter, r *http.Request) {
		id, err := idOf(r)
		page, err := then(err, func() (shop.Page, error) { return pageOf(r) })
		list, err := then(err, func() ([]*shop.Order, error) {
			return orders.List(r.Context(), id, page.Limit, r.URL.Query().Get("include") == "products")
		})
		reply(w, r, http.StatusOK, orderList{list}, err, func() message { return messages.Orders(list) })
	})
	router.Post("/orders", func(w http.ResponseWriter, r *http.Request) {
		input, err := body(r, messages.Checkout)
		order, err := then(err, func() (*shop.Order, error) { return orders.Checkout(r.Context(), input) })
		reply(w, r, http.StatusCreated, order, err, func() message { return messages.Order(order) })
	})
	router.Get("/orders/{id}", func(w http.ResponseWriter, r *http.Request) {
		id, err := idOf(r)
		order, err := then(err, func() (*shop.Order, error) { return orders.Read(r.Context(), id) })
		reply(w, r, http.StatusOK, order, err, func() message { return messages.Order(order) })
	})
	router.Patch("/orders/{id}", func(w http.ResponseWriter, r *http.Request) {
		id, err := idOf(r)
		input, err := then(err, func() (orderStatus, error) {
			return body(r, func(it *shoppb.UpdateOrderRequest) orderStatus { return orderStatus{it.Status} })
		})
		order, err := then(err, func() (*shop.Order, error) { return orders.Update(r.Context(), id, input.Status) })
		reply(w, r, http.StatusOK, order, err, func() message { return messages.Order(order) })
	})
	router.Delete("/orders/{id}", deleting(orders.Delete))
}

func deleting(remove func(context.Context, int32) (int32, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, err := idOf(r)
		id, err = then(err, func() (int32, error) { return remove(r.Context(), id) })
		reply(w, r, http.StatusOK, number{id}, err, func() message { return &shoppb.Id{Id: id} })
	}
}

// deadline bounds a request by what its client says of how long it waits.
func deadline(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if left, err := strconv.Atoi(r.Header.Get(timeoutHeader)); err == nil {
			ctx, cancel := context.WithTimeout(r.Context(), time.Duration(left)*time.Millisecond)
			defer cancel()
			r = r.WithContext(ctx)
		}
		next.ServeHTTP(w, r)
	})
}

func idOf(r *http.Request) (int32, error) { return integer("id", chi.URLParam(r, "id")) }

func pageOf(r *http.Request) (shop.Page, error) {
	page, query := shop.Page{Limit: 20}, r.URL.Query()
	var err error
	if query.Has("after") {
		page.After, err = integer("after", query.Get("after"))
	}
	if err == nil && query.Has("limit") {
		page.Limit, err = integer("limit", query.Get("limit"))
	}
	return page, err
}

func integer(name, text string) (int32, error) {
	value, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, shop.Refuse(shop.Invalid, "%s must be an integer", name)
	}
	return int32(value), nil
}

func numbers(list string) (ids []int32, err error) {
	for _, text := range strings.Split(list, ",") {
		id, err := integer("ids", text)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}
