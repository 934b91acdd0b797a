"""The evidence store (DESIGN §7): records are added, never edited, and never silently left out.

A record that cannot be trusted is an error that lists every such file, in the own store as in each extra
directory. Reading makes nothing: a missing store is an empty one, a missing extra directory is an error.
"""

import re
import threading
from collections.abc import Iterator
from pathlib import Path

from release.adapters.evidence_blobs import BlobStore
from release.adapters.evidence_files import promote, read_regular, unreadable, written_aside
from release.adapters.evidence_record import decode, encode, identify
from release.domain.errors import InputError, Problem
from release.domain.evidence import Evidence, Kind

__all__ = ["BlobStore", "EvidenceStore"]

_ID = re.compile(r"\Asha256:([0-9a-f]{64})\Z")
_NAME = re.compile(r"\A[0-9a-f]{64}\Z")
_LARGEST = 16 << 20


class EvidenceStore:
    """Records in ``root/records`` and in the ``extra`` directories, read once; thread-safe.

    An extra directory is a store's root (it has ``records/``) or holds ``HEX.json`` files itself. Records
    that other processes add later are seen after ``reload``.
    """

    def __init__(self, root: Path, extra: tuple[Path, ...] = ()) -> None:
        self._root = root
        self._extra = extra
        self._lock = threading.Lock()
        self._records: dict[str, Evidence] | None = None

    def find(self, kind: Kind, subject: str) -> tuple[Evidence, ...]:
        """Return the records of the kind and subject, oldest first; raise ``InputError`` like ``all``."""
        return tuple(record for record in self.all() if record.kind is kind and record.subject == subject)

    def all(self) -> tuple[Evidence, ...]:
        """Return every record by (start, id); raise ``InputError`` that lists every file that is none."""
        with self._lock:
            records = self._loaded()
            return tuple(sorted(records.values(), key=lambda record: (record.started_at, record.id)))

    def get(self, id: str) -> Evidence | None:  # noqa: A002 - the record's own word
        """Return the record of this ``sha256:HEX``, or None; raise ``InputError`` for anything else."""
        if not _ID.match(id):
            raise InputError(f"an evidence id has the form sha256:HEX, not {id!r}")
        with self._lock:
            return self._loaded().get(id)

    def put(self, record: Evidence) -> Evidence:
        """Write ``record``, whose ``id`` is computed here, and return it with its id.

        A no-op where it is there already; raises ``InputError`` where another file has its name.
        """
        content = encode(record)
        identity = identify(content)
        name = identity.removeprefix("sha256:")
        kept = decode(content, name=name, file="evidence to be written")
        path = self._root / "records" / f"{name}.json"
        if path.exists() or path.is_symlink():
            _read(path)
        else:
            with written_aside(self._root) as (file, temporary):
                file.write(content)
                promote(file, temporary, path)
        with self._lock:
            if self._records is not None:
                self._records[identity] = kept
        return kept

    def reload(self) -> None:
        """Forget what was read; the next question reads the directories again."""
        with self._lock:
            self._records = None

    def _loaded(self) -> dict[str, Evidence]:
        if self._records is None:
            self._records = _load(self._root, self._extra)
        return self._records


def _load(root: Path, extra: tuple[Path, ...]) -> dict[str, Evidence]:
    records: dict[str, Evidence] = {}
    problems: list[Problem] = []
    for path in _candidates(root, extra, problems):
        try:
            record = _read(path)
        except InputError as error:
            problems += error.problems
        else:
            records[record.id] = record
    if problems:
        raise InputError.of(tuple(problems))
    return records


def _read(path: Path) -> Evidence:
    if path.suffix != ".json" or not _NAME.match(path.stem):
        fix = "keep records only here; each is named by the SHA-256 of its bytes: HEX.json"
        raise InputError("not a record's name", file=str(path), fix=fix)
    return decode(read_regular(path, _LARGEST), name=path.stem, file=str(path))


def _candidates(root: Path, extra: tuple[Path, ...], problems: list[Problem]) -> Iterator[Path]:
    own = root / "records"
    if own.exists() or own.is_symlink():
        yield from _listed(own, problems, every=True)
    for directory in extra:
        records = directory / "records"
        if not directory.is_dir():
            fix = "give an existing directory to --evidence"
            problems.append(Problem(message="no such directory", file=str(directory), fix=fix))
        elif records.exists() or records.is_symlink():
            yield from _listed(records, problems, every=True)
        else:
            yield from _listed(directory, problems, every=False)


def _listed(directory: Path, problems: list[Problem], *, every: bool) -> list[Path]:
    """List what must be records: in a store every visible file, in a plain directory its ``*.json``."""
    if directory.is_symlink() and every:
        fix = "give the directory itself"
        problems.append(Problem(message="a symbolic link, not a directory", file=str(directory), fix=fix))
        return []
    try:
        visible = sorted(path for path in directory.iterdir() if not path.name.startswith("."))
    except OSError as error:
        problems += unreadable(directory, error).problems
        return []
    chosen = [path for path in visible if every or path.suffix == ".json"]
    if visible and not chosen:
        fix = "give the directory that holds records/ or the HEX.json files"
        problems.append(Problem(message="holds no evidence records", file=str(directory), fix=fix))
    return chosen
