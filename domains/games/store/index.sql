CREATE UNIQUE INDEX games_id ON games (id);
