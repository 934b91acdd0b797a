"""The demo: a small project whose release is half done, and what `release` says of it.

``project`` makes the files and the git history, ``world`` puts them where a release lives, ``scenes`` is the
list of what is shown, ``stage`` runs and prints it, ``command`` is the command line.
"""
