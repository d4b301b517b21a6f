"""What precedes the blocks: contenders are built, verified, and weighed on the wire."""
