"""The load engine beside its peers: the same servers, the same machine, the same questions."""
