CREATE TABLE counters (id text, value integer);
