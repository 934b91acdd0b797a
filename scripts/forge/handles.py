"""Builders of releases and assets: state is put into the world as if it had always been there; no writes.

A handle names one object by its id. ``set`` replaces members of the value (see ``forge.state``), ``remove``
takes the object away.
"""

import mimetypes
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from forge.blobs import Blob
from forge.state import Asset, Release
from forge.world import World


@dataclass(frozen=True)
class AssetHandle:
    """One asset."""

    world: World
    id: int

    @property
    def value(self) -> Asset:
        """The asset as it is now."""
        return self.world.assets[self.id]

    def set(self, **changes: Any) -> "AssetHandle":
        """Replace members; new ``blob`` bytes do not change ``size`` and ``digest`` by themselves."""
        self.world.assets[self.id] = replace(self.value, **changes)
        return self

    def remove(self) -> None:
        """Take the asset away."""
        del self.world.assets[self.id]


@dataclass(frozen=True)
class ReleaseHandle:
    """One release or draft."""

    world: World
    id: int

    @property
    def value(self) -> Release:
        """The release as it is now."""
        return self.world.releases[self.id]

    @property
    def assets(self) -> tuple[AssetHandle, ...]:
        """All assets, in the order of their ids."""
        return tuple(AssetHandle(self.world, one.id) for one in self.world.assets_of(self.value))

    def set(self, **changes: Any) -> "ReleaseHandle":
        """Replace members."""
        self.world.releases[self.id] = replace(self.value, **changes)
        return self

    def remove(self) -> None:
        """Take the release and its assets away."""
        for asset in self.assets:
            asset.remove()
        del self.world.releases[self.id]

    def asset(
        self,
        name: str,
        content: bytes | Path = b"",
        *,
        digest: str | None = "auto",
        state: str = "uploaded",
        size: int | None = None,
        created_at: datetime | None = None,
        label: str | None = None,
        content_type: str | None = None,
        omit: Iterable[str] = (),
    ) -> AssetHandle:
        """Add an asset under exactly this name.

        ``digest``: ``auto`` (of the content), None (null) or ``sha256:HEX``; ``omit=("digest",)`` leaves the
        member out. A ``content`` that is a path is served from there. ``size`` None: the content's, in bytes.
        """
        blob = Blob(content)
        when = created_at or self.value.created_at
        guessed = mimetypes.guess_type(name)[0] or "application/octet-stream"
        made = Asset(
            id=self.world.new_id(),
            release_id=self.id,
            name=name,
            label=label,
            content_type=content_type or guessed,
            state=state,
            size=blob.size if size is None else size,
            digest=blob.sha256 if digest == "auto" else digest,
            blob=blob,
            uploader=self.value.author,
            created_at=when,
            updated_at=when,
            omit=frozenset(omit),
        )
        self.world.assets[made.id] = made
        return AssetHandle(self.world, made.id)
