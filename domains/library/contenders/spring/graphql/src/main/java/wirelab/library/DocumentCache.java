package wirelab.library;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import graphql.ExecutionInput;
import graphql.execution.preparsed.PreparsedDocumentEntry;
import graphql.execution.preparsed.PreparsedDocumentProvider;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.graphql.autoconfigure.GraphQlSourceBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Keeps documents parsed and validated, as graphql-java's documentation has it; 0 keeps none. */
@Configuration
class DocumentCache {
    @Bean
    GraphQlSourceBuilderCustomizer documents(@Value("${library.cached-documents:1000}") int size) {
        return builder -> {
            if (size > 0) {
                builder.configureGraphQl(it -> it.preparsedDocumentProvider(cached(size)));
            }
        };
    }

    private static PreparsedDocumentProvider cached(int size) {
        Cache<String, PreparsedDocumentEntry> known =
                Caffeine.newBuilder().maximumSize(size).build();
        return (ExecutionInput input,
                        Function<ExecutionInput, PreparsedDocumentEntry> parsedAndValidated) ->
                CompletableFuture.completedFuture(
                        known.get(input.getQuery(), it -> parsedAndValidated.apply(input)));
    }
}
