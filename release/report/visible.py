"""Names from outside are shown, never obeyed: control, bidirectional and invisible characters as escapes."""

import unicodedata

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def visible(text: str) -> str:
    """Return one line in which every character that could move, hide or colour text is an escape."""
    return "".join(_shown(character) for character in text)


def visible_ascii(text: str) -> str:
    """Return ``visible`` text in ASCII alone, for pipes, logs and old terminals."""
    return visible(text).encode("ascii", "backslashreplace").decode("ascii")


def _shown(character: str) -> str:
    if character != " " and (
        unicodedata.category(character) in _HIDDEN
        or character.isspace()
        or (unicodedata.combining(character) and ord(character) > 0x36F)
    ):
        return character.encode("unicode_escape").decode("ascii")
    return character
