"""What interface descriptions say about requests and answers."""
