package wirelab.library;

import io.grpc.Status;
import io.grpc.StatusException;
import jakarta.validation.ConstraintViolationException;
import org.springframework.grpc.server.exception.GrpcExceptionHandler;
import org.springframework.stereotype.Component;

/** The service's refusals as status codes. */
@Component
class GrpcErrors implements GrpcExceptionHandler {
    @Override
    public StatusException handleException(Throwable error) {
        if (error instanceof NotFoundException) {
            return Status.NOT_FOUND.withDescription(error.getMessage()).asException();
        }
        if (error instanceof ConstraintViolationException) {
            return Status.INVALID_ARGUMENT.withDescription(error.getMessage()).asException();
        }
        return null;
    }
}
