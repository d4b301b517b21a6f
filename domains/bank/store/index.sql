CREATE INDEX account_customer_id ON account (customer_id);
CREATE INDEX movement_account_id ON movement (account_id);
