package wirelab.library;

import io.grpc.BindableService;
import io.grpc.ServerBuilder;
import io.grpc.protobuf.services.ProtoReflectionService;
import io.grpc.stub.StreamObserver;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnThreading;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.grpc.server.ServerBuilderCustomizer;
import org.springframework.stereotype.Service;
import wirelab.library.v1.AddAuthorRequest;
import wirelab.library.v1.AddBookRequest;
import wirelab.library.v1.DeleteAuthorRequest;
import wirelab.library.v1.DeleteAuthorResponse;
import wirelab.library.v1.DeleteBookRequest;
import wirelab.library.v1.DeleteBookResponse;
import wirelab.library.v1.FindAuthorsRequest;
import wirelab.library.v1.FindAuthorsResponse;
import wirelab.library.v1.LibraryGrpc;
import wirelab.library.v1.PingRequest;
import wirelab.library.v1.PingResponse;
import wirelab.library.v1.ReadAuthorRequest;
import wirelab.library.v1.ReadBookRequest;
import wirelab.library.v1.UpdateAuthorRequest;
import wirelab.library.v1.UpdateBookRequest;

/** gRPC, as library.proto describes it. */
@SpringBootApplication
public class GrpcServer {
    public static void main(String[] arguments) {
        SpringApplication.run(GrpcServer.class, arguments);
    }

    /** Spring Boot does this for Tomcat by itself. */
    @Bean
    @ConditionalOnThreading(Threading.VIRTUAL)
    <T extends ServerBuilder<T>> ServerBuilderCustomizer<T> virtualThreads() {
        return server -> server.executor(new VirtualThreadTaskExecutor("grpc-"));
    }

    /** Spring Boot serves reflection v1; Python's client still asks for what came before it. */
    @Bean
    BindableService olderReflection() {
        return ProtoReflectionService.newInstance();
    }

    @Service
    static class LibraryService extends LibraryGrpc.LibraryImplBase {
        private final Library library;

        LibraryService(Library library) {
            this.library = library;
        }

        @Override
        public void ping(PingRequest request, StreamObserver<PingResponse> reply) {
            answer(reply, PingResponse.newBuilder().setStatus(library.ping()).build());
        }

        @Override
        public void findAuthors(
                FindAuthorsRequest request, StreamObserver<FindAuthorsResponse> reply) {
            var answer = FindAuthorsResponse.newBuilder();
            library.findAuthors(request.getPhrase()).forEach(it -> answer.addAuthors(message(it)));
            answer(reply, answer.build());
        }

        @Override
        public void addAuthor(
                AddAuthorRequest request, StreamObserver<wirelab.library.v1.Author> reply) {
            answer(reply, message(library.addAuthor(input(request.getAuthor()))));
        }

        @Override
        public void readAuthor(
                ReadAuthorRequest request, StreamObserver<wirelab.library.v1.Author> reply) {
            answer(reply, message(library.readAuthor(request.getId())));
        }

        @Override
        public void updateAuthor(
                UpdateAuthorRequest request, StreamObserver<wirelab.library.v1.Author> reply) {
            var author = library.updateAuthor(request.getId(), input(request.getAuthor()));
            answer(reply, message(author));
        }

        @Override
        public void deleteAuthor(
                DeleteAuthorRequest request, StreamObserver<DeleteAuthorResponse> reply) {
            var id = library.deleteAuthor(request.getId());
            answer(reply, DeleteAuthorResponse.newBuilder().setId(id).build());
        }

        @Override
        public void addBook(AddBookRequest request, StreamObserver<wirelab.library.v1.Book> reply) {
            var book = library.addBook(request.getAuthorId(), input(request.getBook()));
            answer(reply, message(book));
        }

        @Override
        public void readBook(
                ReadBookRequest request, StreamObserver<wirelab.library.v1.Book> reply) {
            answer(reply, message(library.readBook(request.getId())));
        }

        @Override
        public void updateBook(
                UpdateBookRequest request, StreamObserver<wirelab.library.v1.Book> reply) {
            var book = library.updateBook(request.getId(), input(request.getBook()));
            answer(reply, message(book));
        }

        @Override
        public void deleteBook(
                DeleteBookRequest request, StreamObserver<DeleteBookResponse> reply) {
            var id = library.deleteBook(request.getId());
            answer(reply, DeleteBookResponse.newBuilder().setId(id).build());
        }

        private static <T> void answer(StreamObserver<T> reply, T answer) {
            reply.onNext(answer);
            reply.onCompleted();
        }

        private static AuthorInput input(wirelab.library.v1.AuthorInput author) {
            return new AuthorInput(author.getName(), author.getCountry());
        }

        private static BookInput input(wirelab.library.v1.BookInput book) {
            return new BookInput(book.getTitle(), book.getYear());
        }

        private static wirelab.library.v1.Author message(Author author) {
            var message = wirelab.library.v1.Author.newBuilder()
                    .setId(author.id())
                    .setName(author.name())
                    .setCountry(author.country());
            author.books().forEach(book -> message.addBooks(message(book)));
            return message.build();
        }

        private static wirelab.library.v1.Book message(Book book) {
            return wirelab.library.v1.Book.newBuilder()
                    .setId(book.id())
                    .setAuthorId(book.authorId())
                    .setTitle(book.title())
                    .setYear(book.year())
                    .build();
        }
    }
}
