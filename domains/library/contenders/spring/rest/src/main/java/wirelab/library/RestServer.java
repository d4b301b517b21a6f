package wirelab.library;

import java.net.URI;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** REST, as openapi.yaml describes it. */
@SpringBootApplication
@RestController
public class RestServer {
    private final Library library;

    RestServer(Library library) {
        this.library = library;
    }

    public static void main(String[] arguments) {
        SpringApplication.run(RestServer.class, arguments);
    }

    record Status(String status) {}

    record Authors(List<Author> authors) {}

    record Deleted(int id) {}

    @GetMapping("/ping")
    Status ping() {
        return new Status(library.ping());
    }

    @GetMapping("/authors")
    Authors findAuthors(@RequestParam String phrase) {
        return new Authors(library.findAuthors(phrase));
    }

    @PostMapping("/authors")
    ResponseEntity<Author> addAuthor(@RequestBody AuthorInput input) {
        var author = library.addAuthor(input);
        return ResponseEntity.created(URI.create("/authors/" + author.id())).body(author);
    }

    @GetMapping("/authors/{id}")
    Author readAuthor(@PathVariable int id) {
        return library.readAuthor(id);
    }

    @PutMapping("/authors/{id}")
    Author updateAuthor(@PathVariable int id, @RequestBody AuthorInput input) {
        return library.updateAuthor(id, input);
    }

    @DeleteMapping("/authors/{id}")
    Deleted deleteAuthor(@PathVariable int id) {
        return new Deleted(library.deleteAuthor(id));
    }

    @PostMapping("/authors/{id}/books")
    ResponseEntity<Book> addBook(@PathVariable int id, @RequestBody BookInput input) {
        var book = library.addBook(id, input);
        return ResponseEntity.created(URI.create("/books/" + book.id())).body(book);
    }

    @GetMapping("/books/{id}")
    Book readBook(@PathVariable int id) {
        return library.readBook(id);
    }

    @PutMapping("/books/{id}")
    Book updateBook(@PathVariable int id, @RequestBody BookInput input) {
        return library.updateBook(id, input);
    }

    @DeleteMapping("/books/{id}")
    Deleted deleteBook(@PathVariable int id) {
        return new Deleted(library.deleteBook(id));
    }
}
