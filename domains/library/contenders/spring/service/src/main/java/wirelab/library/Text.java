package wirelab.library;

import static java.lang.annotation.ElementType.FIELD;
import static java.lang.annotation.RetentionPolicy.RUNTIME;

import jakarta.validation.Constraint;
import jakarta.validation.Payload;
import jakarta.validation.constraints.NotBlank;
import java.lang.annotation.Retention;
import java.lang.annotation.Target;

/** A printable text that says something. */
@NotBlank
@Printable
@Constraint(validatedBy = {})
@Retention(RUNTIME)
@Target(FIELD)
public @interface Text {
    String message() default "must be a text";

    Class<?>[] groups() default {};

    Class<? extends Payload>[] payload() default {};
}
