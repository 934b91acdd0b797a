"""The outside worlds, one per file or folder. They translate every failure into domain errors."""
