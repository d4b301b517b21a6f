"""Query the user's servers for valid parameters and comparable answers."""
