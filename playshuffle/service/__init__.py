"""The background service: batches, worker process, status, systemd notifications."""
