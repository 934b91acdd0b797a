"""Pages of lists."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from forge.call import Answer, Call, answer_json
from forge.links import Page

T = TypeVar("T")


def answer_page(
    call: Call, items: Sequence[T], tail: str, render: Callable[[T], dict[str, Any]], wrap: str | None = None
) -> Answer:
    """Answer with one page of ``items``; ``wrap`` names the member that holds it next to ``total_count``.

    As on GitHub, Link headers use the repository's id instead of its name; ``tail`` follows it.
    """
    page = Page.of(call.request.query)
    base = f"{call.links.api}/repositories/{call.repo.id}{tail}"
    headers = page.link(base, call.request.query, len(items))
    shown = [render(item) for item in page.cut(items)]
    return answer_json(shown if wrap is None else {"total_count": len(items), wrap: shown}, headers=headers)
