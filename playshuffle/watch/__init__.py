"""Watch folders and turn file-system events into batches of changes."""
