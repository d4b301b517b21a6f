CREATE INDEX addresses_user_id ON addresses (user_id);
CREATE INDEX reviews_product_id ON reviews (product_id, id);
CREATE INDEX orders_user_id ON orders (user_id, id);
CREATE INDEX order_lines_order_id ON order_lines (order_id);
