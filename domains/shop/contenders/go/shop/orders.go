package shop

import (
	"context"
	"slices"
)

// Orders is the service of orders over its store and the two other services.
type Orders struct {
	store     *Store
	users     UserService
	catalogue CatalogueService
	together  bool // one store for all three services
}

var statuses = []string{"placed", "shipped", "delivered", "returned"}

const (
	orderColumns = `orders.id, user_id, placed_on::text, status, total_cents, ship_to,
		amount_cents, card_ending, paid_on::text`
	ofOrders = " FROM orders JOIN payments ON order_id = orders.id WHERE "
)

// orderRow is an order as a row has it, with its payment beside it.
type orderRow struct {
	Order
	AmountCents        int32
	CardEnding, PaidOn string
}

func (orders *Orders) rows(ctx context.Context, sql string, arguments ...any) ([]*Order, error) {
	rows, err := all[orderRow](ctx, orders.store, sql, arguments...)
	found := make([]*Order, len(rows))
	for i, row := range rows {
		row.Payment = Payment{row.AmountCents, row.CardEnding, row.PaidOn}
		found[i] = &row.Order
	}
	return found, err
}

// Head gives an order without its lines.
func (orders *Orders) Head(ctx context.Context, id int32) (*Order, error) {
	found, err := orders.rows(ctx, "SELECT "+orderColumns+ofOrders+"orders.id = $1", id)
	if err == nil && len(found) == 0 {
		err = Refuse(NotFound, "there is no such order")
	}
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

func (orders *Orders) Read(ctx context.Context, id int32) (*Order, error) {
	order, err := orders.Head(ctx, id)
	if err == nil {
		err = orders.withLines(ctx, order)
	}
	return order, err
}

// HeadsOf gives the newest orders of each user, without their lines.
func (orders *Orders) HeadsOf(ctx context.Context, users []int32, limit int32) ([][]*Order, error) {
	if err := check(Page{Limit: limit}); err != nil {
		return nil, err
	}
	found, err := orders.rows(ctx,
		`SELECT newest.* FROM unnest($1::int[]) AS buyer (id) CROSS JOIN LATERAL (SELECT `+orderColumns+ofOrders+
			`user_id = buyer.id ORDER BY orders.id DESC LIMIT $2) AS newest`, users, limit)
	return grouped(users, found, func(order *Order) int32 { return order.UserID }), err
}

// List gives the newest orders of a user who must be there, with their lines.
func (orders *Orders) List(ctx context.Context, userID, limit int32, products bool) ([]*Order, error) {
	if err := check(Page{Limit: limit}); err != nil {
		return nil, err
	}
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	if _, err := orders.users.Read(ctx, userID); err != nil {
		return nil, err
	}
	lists, err := orders.HeadsOf(ctx, []int32{userID}, limit)
	if err != nil {
		return nil, err
	}
	if err := orders.withLines(ctx, lists[0]...); err != nil || !products {
		return lists[0], err
	}
	return lists[0], orders.withProducts(ctx, lists[0])
}

func (orders *Orders) withLines(ctx context.Context, list ...*Order) error {
	ids := make([]int32, len(list))
	for i, order := range list {
		ids[i] = order.ID
	}
	lines, err := orders.LinesOf(ctx, ids)
	for i := range lines {
		list[i].Lines = lines[i]
	}
	return err
}

// LinesOf gives the lines of each order.
func (orders *Orders) LinesOf(ctx context.Context, ids []int32) ([][]*OrderLine, error) {
	type row struct {
		OrderLine
		OrderID int32
	}
	rows, err := all[row](ctx, orders.store,
		"SELECT order_id, product_id, quantity, unit_price_cents FROM order_lines WHERE order_id = ANY($1) ORDER BY id", ids)
	groups := grouped(ids, rows, func(row *row) int32 { return row.OrderID })
	lines := make([][]*OrderLine, len(groups))
	for i, group := range groups {
		lines[i] = make([]*OrderLine, len(group))
		for j, row := range group {
			lines[i][j] = &row.OrderLine
		}
	}
	return lines, err
}

// withProducts asks the catalogue once for all products.
func (orders *Orders) withProducts(ctx context.Context, list []*Order) error {
	var lines []*OrderLine
	var ids []int32
	for _, order := range list {
		for _, line := range order.Lines {
			lines, ids = append(lines, line), append(ids, line.ProductID)
		}
	}
	slices.Sort(ids)
	found, err := orders.catalogue.ByID(ctx, slices.Compact(ids))
	products := make(map[int32]*Product, len(found))
	for _, product := range found {
		products[product.ID] = product
	}
	for _, line := range lines {
		line.Product = products[line.ProductID]
	}
	return err
}

func (orders *Orders) Update(ctx context.Context, id int32, status string) (*Order, error) {
	if !slices.Contains(statuses, status) {
		return nil, Refuse(Invalid, "status must be one of %v", statuses)
	}
	_, err := scalar[int32](ctx, orders.store, "order", "UPDATE orders SET status = $2 WHERE id = $1 RETURNING id", id, status)
	if err != nil {
		return nil, err
	}
	return orders.Read(ctx, id)
}

func (orders *Orders) Delete(ctx context.Context, id int32) (int32, error) {
	return scalar[int32](ctx, orders.store, "order", "DELETE FROM orders WHERE id = $1 RETURNING id", id)
}
