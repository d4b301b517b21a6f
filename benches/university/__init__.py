"""The generator of the universities beside COPY from a file that is ready."""
