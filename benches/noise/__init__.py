"""Does the method hold on a noisy machine? Commands that show it; see README.md."""
