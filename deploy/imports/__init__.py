"""Other formats to sessions, one a file."""
