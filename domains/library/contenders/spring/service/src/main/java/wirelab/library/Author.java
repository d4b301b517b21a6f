package wirelab.library;

import java.util.List;

/** An author with the books, in the order of their ids. */
public record Author(int id, String name, String country, List<Book> books) {}
