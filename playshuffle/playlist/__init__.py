"""Write and read playlist files: M3U, XSPF, JSPF and PLS."""
