"""What replies and processes show of a server: obstacles, faults, signs of bad configuration."""
