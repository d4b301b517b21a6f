"""Interface descriptions: OpenAPI, GraphQL, Protocol Buffers and WSDL become operations."""
