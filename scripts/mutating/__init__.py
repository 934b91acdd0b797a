"""Mutation testing of the gates: what `scripts/mutation` runs inside its private copy."""
