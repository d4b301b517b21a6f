package wirelab.library;

import jakarta.validation.ConstraintViolationException;
import org.apache.cxf.helpers.DOMUtils;
import org.apache.cxf.interceptor.Fault;
import org.apache.cxf.logging.FaultListener;
import org.apache.cxf.message.Message;
import org.apache.cxf.phase.AbstractPhaseInterceptor;
import org.apache.cxf.phase.Phase;
import org.w3c.dom.Element;

/**
 * Puts the blame on the client where it belongs, with the code that the WSDL declares; what a client
 * did wrong is told to the client and not to the log.
 */
class ClientFaults extends AbstractPhaseInterceptor<Message> implements FaultListener {
    private static final String NAMESPACE = "urn:wirelab:library:v1";

    ClientFaults() {
        super(Phase.SETUP);
    }

    @Override
    public void handleMessage(Message message) {
        var code = code(message.getContent(Exception.class));
        if (code != null && message.getContent(Exception.class) instanceof Fault fault) {
            if (isServers(fault)) {
                fault.setFaultCode(Fault.FAULT_CODE_CLIENT);
            }
            fault.setDetail(detail(code));
        }
    }

    @Override
    public boolean faultOccurred(Exception error, String description, Message message) {
        return code(error) == null;
    }

    /** Returns what a client did wrong, null where it is the server's fault. */
    private static String code(Exception error) {
        if (error.getCause() instanceof NotFoundException) {
            return "not_found";
        }
        var invalid = error.getCause() instanceof ConstraintViolationException
                || error instanceof Fault fault && !isServers(fault);
        return invalid ? "invalid" : null;
    }

    private static boolean isServers(Fault fault) {
        return fault.getFaultCode().getLocalPart().equalsIgnoreCase("server");
    }

    private static Element detail(String code) {
        var document = DOMUtils.createDocument();
        var detail = document.createElement("detail");
        var element = document.createElementNS(NAMESPACE, "code");
        element.setTextContent(code);
        detail.appendChild(element);
        return detail;
    }
}
