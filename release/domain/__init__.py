"""Values and laws. Standard library only: no I/O, no clock, no logging."""
