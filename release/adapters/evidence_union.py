"""Evidence from several places as one: the stores, a folder of artifacts, the ledger's first-seen facts."""

from dataclasses import dataclass

from release.domain.evidence import Evidence, Kind
from release.ports import EvidenceRead


@dataclass(frozen=True, kw_only=True)
class Union:
    """Implements ``release.ports.EvidenceRead`` over ``places`` and single ``records``."""

    places: tuple[EvidenceRead, ...]
    records: tuple[Evidence, ...] = ()

    def find(self, kind: Kind, subject: str) -> tuple[Evidence, ...]:
        """Return the records of every place, oldest first, each once."""
        found = [record for place in self.places for record in place.find(kind, subject)]
        found += [record for record in self.records if record.kind is kind and record.subject == subject]
        unique = {record.id: record for record in found}
        return tuple(sorted(unique.values(), key=lambda record: (record.started_at, record.id)))
