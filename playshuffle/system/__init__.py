"""Files, locks, mounts and databases of this machine; knows nothing of music."""
