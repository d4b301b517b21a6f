package wirelab.library;

import graphql.GraphQLError;
import graphql.GraphqlErrorBuilder;
import graphql.schema.DataFetchingEnvironment;
import jakarta.validation.ConstraintViolationException;
import java.util.Map;
import org.springframework.graphql.data.method.annotation.GraphQlExceptionHandler;
import org.springframework.graphql.execution.ErrorType;
import org.springframework.web.bind.annotation.ControllerAdvice;

/** The service's refusals as errors with a code that clients can tell them by. */
@ControllerAdvice
class GraphqlErrors {
    @GraphQlExceptionHandler
    GraphQLError notFound(NotFoundException error, DataFetchingEnvironment environment) {
        return error(environment, ErrorType.NOT_FOUND, "NOT_FOUND", error);
    }

    @GraphQlExceptionHandler
    GraphQLError invalid(ConstraintViolationException error, DataFetchingEnvironment environment) {
        return error(environment, ErrorType.BAD_REQUEST, "BAD_USER_INPUT", error);
    }

    private static GraphQLError error(
            DataFetchingEnvironment environment, ErrorType type, String code, Exception error) {
        return GraphqlErrorBuilder.newError(environment)
                .errorType(type)
                .extensions(Map.of("code", code))
                .message("%s", error.getMessage())
                .build();
    }
}
