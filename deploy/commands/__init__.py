"""The subcommands, one a file; each is imported only when it runs."""
