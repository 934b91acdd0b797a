"""Runs mutmut in a copy of the checkout, one file after the other, then prints the score."""

import sys

from command import main

sys.exit(main(sys.argv[1:]))
