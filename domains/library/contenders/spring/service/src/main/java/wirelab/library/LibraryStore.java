package wirelab.library;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The library in PostgreSQL. Authors come with their books in one round trip. */
@Repository
class LibraryStore {
    private static final String AUTHORS = """
            SELECT author.id, name, country, book.id, title, year
            FROM author LEFT JOIN book ON author_id = author.id
            WHERE %s
            ORDER BY author.id, book.id""";
    private static final String ONE_AUTHOR = AUTHORS.formatted("author.id = ?");
    /** Unlike LIKE, strpos knows no wildcards. */
    private static final String AUTHORS_WITH = AUTHORS.formatted("strpos(name, ?) > 0");

    private final JdbcClient jdbc;

    LibraryStore(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    List<Author> authorsWith(String phrase) {
        return jdbc.sql(AUTHORS_WITH).param(phrase).query(LibraryStore::authors);
    }

    Optional<Author> author(int id) {
        return jdbc.sql(ONE_AUTHOR).param(id).query(LibraryStore::authors).stream().findFirst();
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
                .query((row, number) -> book(row))
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
                .query((row, number) -> book(row))
                .optional();
    }

    int deleteBook(int id) {
        return jdbc.sql("DELETE FROM book WHERE id = ?").param(id).update();
    }

    private static Book book(ResultSet row) throws SQLException {
        return new Book(row.getInt(1), row.getInt(2), row.getString(3), row.getInt(4));
    }

    /** Reads one author out of as many rows as there are books, or one row where there are none. */
    private static List<Author> authors(ResultSet row) throws SQLException {
        var authors = new ArrayList<Author>();
        Author author = null;
        while (row.next()) {
            var id = row.getInt(1);
            if (author == null || author.id() != id) {
                author = new Author(id, row.getString(2), row.getString(3), new ArrayList<>());
                authors.add(author);
            }
            var bookId = row.getInt(4);
            if (!row.wasNull()) {
                author.books().add(new Book(bookId, id, row.getString(5), row.getInt(6)));
            }
        }
        return authors;
    }
}
