"""release-convergence: prove that every channel of a release agrees on one commit, and finish it."""

__version__ = "0.1.0"
