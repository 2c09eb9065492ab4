"""Write and read playlist files: M3U and XSPF."""
