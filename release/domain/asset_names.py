"""How GitHub rewrites asset names, predicted, and how a rewritten name is recognised.

GitHub documents only that special characters and leading or trailing periods are changed; the exact table
is not published. ``github_name`` follows what has been observed: a run of other characters than letters,
digits and ``@ + - _ .`` becomes one period, accents are dropped, a name without a stem becomes
``default``. Recognition is wider than prediction, so that a wrong guess still shows both names.
"""

import re
import unicodedata
from functools import lru_cache

_LETTERS = str.maketrans(
    {"æ": "ae", "Æ": "AE", "ø": "o", "Ø": "O", "ß": "ss", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D"}
)
_KEPT = re.compile(r"[^A-Za-z0-9@+_.-]+")
_CERTAIN = re.compile(r"[^A-Za-z0-9_-]+")


@lru_cache(maxsize=4096)
def github_name(name: str) -> str:
    """Predict the name under which GitHub stores an asset that is uploaded as ``name``."""
    text = _KEPT.sub(".", _transliterate(name))
    text = re.sub(r"\.{2,}", ".", text).strip(".")
    extension = re.search(r"\.[A-Za-z0-9]+\Z", name)
    if not text or (extension and text == extension.group()[1:]):
        return f"default.{text}" if text else "default"
    return text


def is_rewriting(planned: str, stored: str) -> bool:
    """Say whether ``stored`` can be what GitHub made of ``planned``; equal names are no rewriting."""
    if planned == stored:
        return False
    return stored == github_name(planned) or _shape(planned) == _shape(stored)


def rewritten(planned: str, stored: tuple[str, ...]) -> str | None:
    """Return the stored name that GitHub made of ``planned``, or None; the predicted one first."""
    predicted = github_name(planned)
    if predicted != planned and predicted in stored:
        return predicted
    return next((name for name in stored if is_rewriting(planned, name)), None)


def explained(stored: tuple[str, ...], planned: tuple[str, ...]) -> frozenset[str]:
    """Return those stored names that GitHub can have made of one of the planned names."""
    shapes = {_shape(name) for name in planned}
    predicted = {github_name(name) for name in planned}
    return frozenset(name for name in stored if name in predicted or _shape(name) in shapes)


def _transliterate(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name.translate(_LETTERS))
    return "".join(
        character if character.isascii() else "." if unicodedata.category(character)[0] in "SPZ" else ""
        for character in plain
    )


@lru_cache(maxsize=4096)
def _shape(name: str) -> str:
    return _CERTAIN.sub(".", _transliterate(name)).strip(".")
