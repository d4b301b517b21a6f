package wirelab.library;

import jakarta.xml.ws.Endpoint;
import org.apache.cxf.Bus;
import org.apache.cxf.jaxws.EndpointImpl;
import org.apache.cxf.logging.FaultListener;
import org.apache.cxf.message.Message;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** SOAP, as library.wsdl describes it: requests are checked against its schema. */
@SpringBootApplication
public class SoapServer {
    public static void main(String[] arguments) {
        SpringApplication.run(SoapServer.class, arguments);
    }

    @Bean
    Endpoint endpoint(Bus bus, Library library) {
        var endpoint = new EndpointImpl(bus, new SoapPort(library));
        endpoint.setWsdlLocation("classpath:library.wsdl");
        var faults = new ClientFaults();
        endpoint.getOutFaultInterceptors().add(faults);
        endpoint.getProperties().put(FaultListener.class.getName(), faults);
        endpoint.getProperties().put(Message.SCHEMA_VALIDATION_ENABLED, "REQUEST");
        endpoint.publish("/");
        return endpoint;
    }
}
