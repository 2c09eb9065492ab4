"""Run the background service: batches, update processes, status, systemd notifications."""
