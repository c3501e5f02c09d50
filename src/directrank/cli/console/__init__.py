"""The terminal: streams, tables and JSON, progress, Ctrl-C, output files, shell completion."""
