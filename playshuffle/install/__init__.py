"""Install, remove and inspect the systemd user units."""
