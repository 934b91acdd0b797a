"""Report → text: pure, no I/O. Every format says the same."""
