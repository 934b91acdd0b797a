"""How GitHub rewrites the names of uploaded assets: an approximation.

GitHub documents only that "special characters, non-alphanumeric characters, and leading or trailing periods"
are renamed. Here, after what users report: accented letters lose their accents, other non-ASCII letters
vanish, each run of anything but letters, digits, ``_ - + @ .`` becomes one period, and periods at either
end go. A name of which only the extension is left becomes ``default.EXTENSION``.
"""

import re
import unicodedata


def stored_name(name: str) -> str:
    """Return the name under which GitHub would keep an asset uploaded as ``name``."""
    plain = unicodedata.normalize("NFKD", name)
    plain = "".join(letter for letter in plain if letter.isascii())
    lost_stem = not name.startswith(".") and plain.startswith(".")
    cleaned = re.sub(r"[^A-Za-z0-9_\-+@.]+", ".", plain)
    cleaned = re.sub(r"\.{2,}", ".", cleaned).strip(".")
    if not cleaned:
        return "default"
    return f"default.{cleaned}" if lost_stem else cleaned
