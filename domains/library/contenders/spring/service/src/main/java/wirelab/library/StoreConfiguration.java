package wirelab.library;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The store's URL as the laboratory gives it, in the parts that JDBC wants. */
@Configuration
class StoreConfiguration {
    @Bean
    JdbcConnectionDetails store(
            @Value("${wirelab.store.url:postgresql://postgres@127.0.0.1/postgres}") URI url) {
        var user = (url.getRawUserInfo() == null ? "" : url.getRawUserInfo()).split(":", 2);
        var port = url.getPort() < 0 ? "" : ":" + url.getPort();
        var query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
        var jdbc = "jdbc:postgresql://" + url.getHost() + port + url.getRawPath() + query;
        return new JdbcConnectionDetails() {
            @Override
            public String getUsername() {
                return decoded(user[0]);
            }

            @Override
            public String getPassword() {
                return user.length > 1 ? decoded(user[1]) : null;
            }

            @Override
            public String getJdbcUrl() {
                return jdbc;
            }
        };
    }

    private static String decoded(String part) {
        return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
