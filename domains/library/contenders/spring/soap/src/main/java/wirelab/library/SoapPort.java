package wirelab.library;

import jakarta.jws.WebService;
import wirelab.library.v1.AddAuthor;
import wirelab.library.v1.AddAuthorResponse;
import wirelab.library.v1.AddBook;
import wirelab.library.v1.AddBookResponse;
import wirelab.library.v1.DeleteAuthor;
import wirelab.library.v1.DeleteAuthorResponse;
import wirelab.library.v1.DeleteBook;
import wirelab.library.v1.DeleteBookResponse;
import wirelab.library.v1.FindAuthors;
import wirelab.library.v1.FindAuthorsResponse;
import wirelab.library.v1.Ping;
import wirelab.library.v1.PingResponse;
import wirelab.library.v1.ReadAuthor;
import wirelab.library.v1.ReadAuthorResponse;
import wirelab.library.v1.ReadBook;
import wirelab.library.v1.ReadBookResponse;
import wirelab.library.v1.UpdateAuthor;
import wirelab.library.v1.UpdateAuthorResponse;
import wirelab.library.v1.UpdateBook;
import wirelab.library.v1.UpdateBookResponse;

/** The operations of the WSDL. Refusals are thrown as they are; {@link ClientFaults} tells them. */
@WebService(
        endpointInterface = "wirelab.library.v1.Library",
        targetNamespace = "urn:wirelab:library:v1",
        serviceName = "Library",
        portName = "Library")
class SoapPort implements wirelab.library.v1.Library {
    private final Library library;

    SoapPort(Library library) {
        this.library = library;
    }

    @Override
    public PingResponse ping(Ping request) {
        var answer = new PingResponse();
        answer.setStatus(library.ping());
        return answer;
    }

    @Override
    public FindAuthorsResponse findAuthors(FindAuthors request) {
        var answer = new FindAuthorsResponse();
        library.findAuthors(request.getPhrase()).forEach(it -> answer.getAuthors().add(element(it)));
        return answer;
    }

    @Override
    public AddAuthorResponse addAuthor(AddAuthor request) {
        var answer = new AddAuthorResponse();
        answer.setAuthor(element(library.addAuthor(input(request.getAuthor()))));
        return answer;
    }

    @Override
    public ReadAuthorResponse readAuthor(ReadAuthor request) {
        var answer = new ReadAuthorResponse();
        answer.setAuthor(element(library.readAuthor(request.getId())));
        return answer;
    }

    @Override
    public UpdateAuthorResponse updateAuthor(UpdateAuthor request) {
        var answer = new UpdateAuthorResponse();
        var author = library.updateAuthor(request.getId(), input(request.getAuthor()));
        answer.setAuthor(element(author));
        return answer;
    }

    @Override
    public DeleteAuthorResponse deleteAuthor(DeleteAuthor request) {
        var answer = new DeleteAuthorResponse();
        answer.setId(library.deleteAuthor(request.getId()));
        return answer;
    }

    @Override
    public AddBookResponse addBook(AddBook request) {
        var answer = new AddBookResponse();
        var book = library.addBook(request.getAuthorId(), input(request.getBook()));
        answer.setBook(element(book));
        return answer;
    }

    @Override
    public ReadBookResponse readBook(ReadBook request) {
        var answer = new ReadBookResponse();
        answer.setBook(element(library.readBook(request.getId())));
        return answer;
    }

    @Override
    public UpdateBookResponse updateBook(UpdateBook request) {
        var answer = new UpdateBookResponse();
        var book = library.updateBook(request.getId(), input(request.getBook()));
        answer.setBook(element(book));
        return answer;
    }

    @Override
    public DeleteBookResponse deleteBook(DeleteBook request) {
        var answer = new DeleteBookResponse();
        answer.setId(library.deleteBook(request.getId()));
        return answer;
    }

    private static AuthorInput input(wirelab.library.v1.AuthorInput author) {
        return new AuthorInput(author.getName(), author.getCountry());
    }

    private static BookInput input(wirelab.library.v1.BookInput book) {
        return new BookInput(book.getTitle(), book.getYear());
    }

    private static wirelab.library.v1.Author element(Author author) {
        var element = new wirelab.library.v1.Author();
        element.setId(author.id());
        element.setName(author.name());
        element.setCountry(author.country());
        author.books().forEach(book -> element.getBooks().add(element(book)));
        return element;
    }

    private static wirelab.library.v1.Book element(Book book) {
        var element = new wirelab.library.v1.Book();
        element.setId(book.id());
        element.setAuthorId(book.authorId());
        element.setTitle(book.title());
        element.setYear(book.year());
        return element;
    }
}
