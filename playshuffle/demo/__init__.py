"""Write a small library of generated tones, to try the program without any music."""
