"""Pagination to the end: every page, or ``CannotTell``. A listing that may be incomplete shows nothing.

The end is where no ``next`` is linked. That is believed of a page that is not full, or that has a Link
header of its own; a full page without one (a 304, or a proxy that drops the header) makes us ask for the
page after it.
"""

import re
from collections.abc import Callable
from urllib.parse import parse_qsl, urlencode, urlsplit

from release.adapters.github.model import Absent, Got, Shape
from release.adapters.github.transport import Transport
from release.domain.errors import CannotTell

PER_PAGE = 100
_MAX_PAGES = 500
_LINK = re.compile(r"<([^<>]*)>([^<]*)")
_NEXT = re.compile(r";\s*rel\s*=\s*(?:\"[^\"]*\bnext\b[^\"]*\"|next\b)", re.IGNORECASE)


def all_pages(
    transport: Transport,
    path: str,
    shape: type[Shape],
    *,
    size: Callable[[Shape], int],
    absent: frozenset[int] = frozenset(),
) -> tuple[Shape, ...] | Absent:
    """GET every page of ``path`` (which asks for ``PER_PAGE``); ``size`` counts the items of one page.

    Only the first page may be ``absent``; raises ``CannotTell`` where any page can't be had.
    """
    found: list[Shape] = []
    asked = {path}
    while True:
        got = transport.fetch(path, shape, absent=absent if not found else frozenset())
        if isinstance(got, Absent):
            return got
        found.append(got.value)
        following = _following(transport, path, got, size(got.value))
        if following is None:
            return tuple(found)
        if following in asked or len(found) == _MAX_PAGES:
            text = f"GET {path}: the list of pages does not end"
            raise CannotTell("github.bad-answer", text)
        asked.add(following)
        path = following


def _following(transport: Transport, path: str, got: Got[Shape], items: int) -> str | None:
    for url, parameters in _LINK.findall(got.link):
        if _NEXT.search(parameters):
            return transport.inside(url, path)
    return _after(path) if items >= PER_PAGE and not got.link_stated else None


def _after(path: str) -> str:
    parts = urlsplit(path)
    query = dict(parse_qsl(parts.query))
    page = query.get("page", "1")
    if not (page.isascii() and page.isdigit()):
        raise CannotTell("github.bad-answer", f"GET {path}: it was linked as a page, and has no page number")
    query["page"] = str(int(page) + 1)
    return f"{parts.path}?{urlencode(query)}"
