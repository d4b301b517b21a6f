CREATE INDEX book_author_id ON book (author_id);
