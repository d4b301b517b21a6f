package wirelab.library;

import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.graphql.data.method.annotation.Argument;
import org.springframework.graphql.data.method.annotation.MutationMapping;
import org.springframework.graphql.data.method.annotation.QueryMapping;
import org.springframework.stereotype.Controller;

/** GraphQL, as schema.graphql describes it. */
@SpringBootApplication
@Controller
public class GraphqlServer {
    private final Library library;

    GraphqlServer(Library library) {
        this.library = library;
    }

    public static void main(String[] arguments) {
        SpringApplication.run(GraphqlServer.class, arguments);
    }

    @QueryMapping
    String ping() {
        return library.ping();
    }

    @QueryMapping
    List<Author> authors(@Argument String phrase) {
        return library.findAuthors(phrase);
    }

    @QueryMapping
    Author author(@Argument int id) {
        return library.readAuthor(id);
    }

    @QueryMapping
    Book book(@Argument int id) {
        return library.readBook(id);
    }

    @MutationMapping
    Author addAuthor(@Argument AuthorInput author) {
        return library.addAuthor(author);
    }

    @MutationMapping
    Author updateAuthor(@Argument int id, @Argument AuthorInput author) {
        return library.updateAuthor(id, author);
    }

    @MutationMapping
    int deleteAuthor(@Argument int id) {
        return library.deleteAuthor(id);
    }

    @MutationMapping
    Book addBook(@Argument int authorId, @Argument BookInput book) {
        return library.addBook(authorId, book);
    }

    @MutationMapping
    Book updateBook(@Argument int id, @Argument BookInput book) {
        return library.updateBook(id, book);
    }

    @MutationMapping
    int deleteBook(@Argument int id) {
        return library.deleteBook(id);
    }
}
