package wirelab.library;

/** An author as a client writes it. */
public record AuthorInput(@Text String name, @Country String country) {}
