"""The bench: whole processes against what a user would run instead, and requests counted by the servers.

``rows`` holds one module a question, ``command`` runs them; ``measure`` times child processes, ``world`` is
a release of any size, ``chains`` reads request logs. Ratios are of medians of alternating runs.
"""
