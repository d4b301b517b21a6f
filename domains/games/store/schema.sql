-- One row per game, the game itself as a document: what a document store would keep.
CREATE TABLE games (
    id       text  NOT NULL,
    document jsonb NOT NULL
);
