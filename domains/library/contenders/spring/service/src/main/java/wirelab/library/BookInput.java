package wirelab.library;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;

/** A book as a client writes it. */
public record BookInput(@Text String title, @Min(1) @Max(9999) int year) {}
