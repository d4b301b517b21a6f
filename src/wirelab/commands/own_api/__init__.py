"""Commands about interfaces of the user."""
