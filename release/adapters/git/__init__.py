"""The git client: one remote, one cache of its objects, read-only towards both.

``Checkout.find`` (checkout.py) tells of the user's working copy; ``Repository`` (repository.py) is the
door to everything else.
"""
