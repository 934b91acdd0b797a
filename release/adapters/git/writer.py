"""The one write on a git remote that users see: an annotated tag, created only where no ref has the name."""

from dataclasses import dataclass

from release.adapters.git.refs import Pushed, RefStore
from release.domain.errors import CannotTell
from release.domain.plan import Tag
from release.write_ports import Refused


@dataclass(frozen=True, kw_only=True)
class GitWriter:
    """Implements ``release.write_ports.GitWrite``. ``when`` dates the tag (Unix seconds).

    Dated with its commit, the tag object is the same on every machine: two who race create one object.
    """

    refs: RefStore
    when: int

    def create_tag(self, tag: Tag, commit: str, message: str) -> None:
        """Push the tag with the expectation that it does not exist. Refused: tag.push-denied."""
        oid = self.refs.tag_object(tag.name, commit, message, self.when)
        match self.refs.swap(f"refs/tags/{tag.name}", None, oid):
            case Pushed.DONE | Pushed.LOST:
                return  # lost to somebody's tag: looking again says whether it is on our commit
            case Pushed.DENIED:
                where = self.refs.location.shown
                raise Refused("tag.push-denied", f"{where} refused to create the tag {tag.name}")
            case Pushed.UNKNOWN:
                raise CannotTell("git.unreachable", f"whether the tag {tag.name} was created is not known")
