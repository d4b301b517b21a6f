package wirelab.library;

import jakarta.validation.ConstraintViolationException;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import java.util.List;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.validation.annotation.Validated;

/**
 * What can be done with the library, the same for every protocol. Wrong values are answered with
 * {@link ConstraintViolationException}, unknown ids with {@link NotFoundException}.
 */
@Service
@Validated
public class Library {
    private final LibraryStore store;

    Library(LibraryStore store) {
        this.store = store;
    }

    public String ping() {
        return "ok";
    }

    public List<Author> findAuthors(@NotEmpty @Printable String phrase) {
        return store.authorsWith(phrase);
    }

    public Author addAuthor(@NotNull @Valid AuthorInput author) {
        var id = store.insertAuthor(author);
        return new Author(id, author.name(), author.country(), List.of());
    }

    public Author readAuthor(int id) {
        return store.author(id).orElseThrow(() -> new NotFoundException("author", id));
    }

    @Transactional
    public Author updateAuthor(int id, @NotNull @Valid AuthorInput author) {
        known(store.updateAuthor(id, author), "author", id);
        return readAuthor(id);
    }

    public int deleteAuthor(int id) {
        known(store.deleteAuthor(id), "author", id);
        return id;
    }

    public Book addBook(int authorId, @NotNull @Valid BookInput book) {
        try {
            var id = store.insertBook(authorId, book);
            return new Book(id, authorId, book.title(), book.year());
        } catch (DataIntegrityViolationException foreignKey) {
            throw new NotFoundException("author", authorId);
        }
    }

    public Book readBook(int id) {
        return store.book(id).orElseThrow(() -> new NotFoundException("book", id));
    }

    public Book updateBook(int id, @NotNull @Valid BookInput book) {
        return store.updateBook(id, book).orElseThrow(() -> new NotFoundException("book", id));
    }

    public int deleteBook(int id) {
        known(store.deleteBook(id), "book", id);
        return id;
    }

    private static void known(int rows, String what, int id) {
        if (rows == 0) {
            throw new NotFoundException(what, id);
        }
    }
}
