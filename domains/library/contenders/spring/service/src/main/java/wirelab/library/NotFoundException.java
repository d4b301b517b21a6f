package wirelab.library;

/** Nothing has this id. */
public class NotFoundException extends RuntimeException {
    public NotFoundException(String what, int id) {
        super("no " + what + " has the id " + id);
    }
}
