"""Use this machine: files, locks, mounts and databases. Nothing here knows about music."""
