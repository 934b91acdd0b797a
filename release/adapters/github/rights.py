"""What the token may do with one repository, read only and before anything is written (APIS.md §1, §2)."""

from dataclasses import dataclass
from urllib.parse import quote

from release.adapters.github import shapes
from release.adapters.github.model import Absent
from release.adapters.github.transport import Transport
from release.domain.errors import CannotTell

_UNKNOWN = frozenset({401, 403, 404})


@dataclass(frozen=True, kw_only=True)
class Rights:
    """``push``: the token may write; ``immutable``: releases become immutable. None: GitHub does not say."""

    push: bool | None = None
    immutable: bool | None = None


def rights_of(transport: Transport, repository: str, *, settings: bool) -> Rights:
    """Ask GitHub; ``settings`` says that the immutability setting is worth a request. Never raises."""
    owner, _, name = repository.partition("/")
    root = f"/repos/{quote(owner, safe='')}/{quote(name, safe='')}"
    try:
        got = transport.fetch(root, shapes.Repository, absent=_UNKNOWN)
        permissions = None if isinstance(got, Absent) else got.value.permissions
        if permissions is None:
            return Rights()
        immutable = _immutable(transport, root, admin=permissions.admin) if settings else None
        return Rights(push=permissions.push, immutable=immutable)
    except CannotTell:
        return Rights()


def _immutable(transport: Transport, root: str, *, admin: bool) -> bool | None:
    """GitHub answers 404 both where the setting is off and where the token may not see it."""
    got = transport.fetch(f"{root}/immutable-releases", shapes.Immutability, absent=_UNKNOWN)
    if isinstance(got, Absent):
        return False if admin and got.status == 404 else None
    return got.value.enabled
