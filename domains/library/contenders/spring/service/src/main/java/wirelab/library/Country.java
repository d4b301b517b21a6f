package wirelab.library;

import static java.lang.annotation.ElementType.FIELD;
import static java.lang.annotation.RetentionPolicy.RUNTIME;

import jakarta.validation.Constraint;
import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import jakarta.validation.Payload;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.annotation.Retention;
import java.lang.annotation.Target;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.stream.Collectors;

/** The English name of a country, as in the domain's countries.txt. */
@Constraint(validatedBy = Country.Known.class)
@Retention(RUNTIME)
@Target(FIELD)
public @interface Country {
    String message() default "must be the English name of a country";

    Class<?>[] groups() default {};

    Class<? extends Payload>[] payload() default {};

    /** Looks the name up. */
    class Known implements ConstraintValidator<Country, String> {
        private static final Set<String> NAMES = names();

        @Override
        public boolean isValid(String name, ConstraintValidatorContext context) {
            return name != null && NAMES.contains(name);
        }

        private static Set<String> names() {
            var file = Known.class.getResourceAsStream("/countries.txt");
            try (var lines = new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8))) {
                return lines.lines().collect(Collectors.toUnmodifiableSet());
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }
    }
}
