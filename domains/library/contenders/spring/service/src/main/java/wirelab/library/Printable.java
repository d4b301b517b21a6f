package wirelab.library;

import static java.lang.annotation.ElementType.ANNOTATION_TYPE;
import static java.lang.annotation.ElementType.FIELD;
import static java.lang.annotation.ElementType.PARAMETER;
import static java.lang.annotation.RetentionPolicy.RUNTIME;

import jakarta.validation.Constraint;
import jakarta.validation.Payload;
import jakarta.validation.ReportAsSingleViolation;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.lang.annotation.Retention;
import java.lang.annotation.Target;

/** A text that the store and every protocol can carry: XML has no control characters. */
@Size(max = 200)
@Pattern(regexp = "[^\\p{Cc}\\p{Cs}\\uFFFE\\uFFFF]*")
@ReportAsSingleViolation
@Constraint(validatedBy = {})
@Retention(RUNTIME)
@Target({FIELD, PARAMETER, ANNOTATION_TYPE})
public @interface Printable {
    String message() default "must have at most 200 characters and no control characters";

    Class<?>[] groups() default {};

    Class<? extends Payload>[] payload() default {};
}
