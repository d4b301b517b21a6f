package wirelab.library;

/** A book of one author. */
public record Book(int id, int authorId, String title, int year) {}
