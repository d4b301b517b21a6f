CREATE TABLE notes (id text NOT NULL, document jsonb NOT NULL);
