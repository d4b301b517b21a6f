package wirelab.library;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * The library in PostgreSQL. Authors come first and all of their books after them: one join would be
 * one round trip less, but costs the store twice the time, for it cannot tell how many will match.
 */
@Repository
class LibraryStore {
    private final JdbcClient jdbc;

    LibraryStore(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Unlike LIKE, strpos knows no wildcards. */
    List<Author> authorsWith(String phrase) {
        return authors(jdbc.sql("""
                        SELECT id, name, country FROM author
                        WHERE strpos(name, ?) > 0
                        ORDER BY id""")
                .param(phrase));
    }

    Optional<Author> author(int id) {
        var found = authors(jdbc.sql("SELECT id, name, country FROM author WHERE id = ?").param(id));
        return found.stream().findFirst();
    }

    int insertAuthor(AuthorInput author) {
        return jdbc.sql("INSERT INTO author (name, country) VALUES (?, ?) RETURNING id")
                .params(author.name(), author.country())
                .query(Integer.class)
                .single();
    }

    int updateAuthor(int id, AuthorInput author) {
        return jdbc.sql("UPDATE author SET name = ?, country = ? WHERE id = ?")
                .params(author.name(), author.country(), id)
                .update();
    }

    int deleteAuthor(int id) {
        return jdbc.sql("DELETE FROM author WHERE id = ?").param(id).update();
    }

    Optional<Book> book(int id) {
        return jdbc.sql("SELECT id, author_id, title, year FROM book WHERE id = ?")
                .param(id)
                .query(LibraryStore::book)
                .optional();
    }

    int insertBook(int authorId, BookInput book) {
        return jdbc.sql("INSERT INTO book (author_id, title, year) VALUES (?, ?, ?) RETURNING id")
                .params(authorId, book.title(), book.year())
                .query(Integer.class)
                .single();
    }

    Optional<Book> updateBook(int id, BookInput book) {
        return jdbc.sql("""
                        UPDATE book SET title = ?, year = ? WHERE id = ?
                        RETURNING id, author_id, title, year""")
                .params(book.title(), book.year(), id)
                .query(LibraryStore::book)
                .optional();
    }

    int deleteBook(int id) {
        return jdbc.sql("DELETE FROM book WHERE id = ?").param(id).update();
    }

    private List<Author> authors(JdbcClient.StatementSpec statement) {
        var authors = statement.query(LibraryStore::author).list();
        var byId = new HashMap<Integer, Author>();
        authors.forEach(author -> byId.put(author.id(), author));
        if (!authors.isEmpty()) {
            jdbc.sql("""
                            SELECT id, author_id, title, year FROM book
                            WHERE author_id = ANY (?)
                            ORDER BY id""")
                    .param(byId.keySet().toArray(Integer[]::new))
                    .query(LibraryStore::book)
                    .list()
                    .forEach(book -> byId.get(book.authorId()).books().add(book));
        }
        return authors;
    }

    private static Author author(ResultSet row, int number) throws SQLException {
        return new Author(row.getInt(1), row.getString(2), row.getString(3), new ArrayList<>());
    }

    private static Book book(ResultSet row, int number) throws SQLException {
        return new Book(row.getInt(1), row.getInt(2), row.getString(3), row.getInt(4));
    }
}
