"""Refs, annotated tags and commits, in the real repository."""

from datetime import datetime

from forge import git
from forge.call import Answer, Call, Refused, answer_json, not_found
from forge.handlers.lists import answer_page
from forge.render import objects


def get(call: Call) -> Answer:
    """Return exactly this ref."""
    found = git.ref(call.repo.git_dir, f"refs/{call.args['ref']}")
    if found is None:
        raise not_found()
    return answer_json(objects.ref(found, call.repo, call.links))


def matching(call: Call) -> Answer:
    """Return every ref that starts so."""
    prefix = call.args["ref"]
    found = git.refs(call.repo.git_dir, f"refs/{prefix}")
    tail = f"/git/matching-refs/{prefix}"
    return answer_page(call, found, tail, lambda one: objects.ref(one, call.repo, call.links))


def create(call: Call) -> Answer:
    """Create a ref; an existing one is never touched."""
    wanted = call.request.json()
    name, sha = str(wanted.get("ref", "")), str(wanted.get("sha", ""))
    git_dir = call.repo.git_dir
    if not git.refs(git_dir, "refs/"):
        raise Refused(409, "Git Repository is empty.")
    if not name.startswith("refs/") or name.count("/") < 2 or not git.is_ref_name(name):
        raise Refused(422, f"{name} is not a valid ref name.")
    kind = git.object_type(git_dir, sha)
    if kind is None:
        raise Refused(422, "Object does not exist")
    if git.ref(git_dir, name) is not None:
        raise Refused(422, "Reference already exists")
    if (call.repo.id, name.removeprefix("refs/tags/")) in call.world.burned and name.startswith("refs/tags/"):
        raise Refused(
            422, "Repository rule violations found\n\nCannot create ref due to creations being restricted."
        )
    if not git.create_ref(git_dir, name, sha):
        raise Refused(422, "Reference update failed")
    call.wrote("ref.create", name, after=sha)
    made = git.Ref(name=name, sha=sha, type=kind)
    return answer_json(objects.ref(made, call.repo, call.links), status=201)


def get_tag(call: Call) -> Answer:
    """Return an annotated tag's object."""
    sha = call.args["sha"]
    if git.object_type(call.repo.git_dir, sha) != "tag":
        raise not_found()
    return answer_json(objects.tag(git.tag_object(call.repo.git_dir, sha), call.repo, call.links))


def create_tag(call: Call) -> Answer:
    """Write an annotated tag's object; it has no ref yet."""
    wanted = call.request.json()
    sha = str(wanted.get("object", ""))
    kind = git.object_type(call.repo.git_dir, sha)
    if kind is None or kind != wanted.get("type"):
        raise Refused(422, "Object does not exist")
    made = git.create_tag_object(call.repo.git_dir, _wanted_tag(call, wanted, sha, kind))
    call.wrote("tag-object.create", str(wanted.get("tag", "")), after=made)
    return answer_json(
        objects.tag(git.tag_object(call.repo.git_dir, made), call.repo, call.links), status=201
    )


def get_commit(call: Call) -> Answer:
    """Return the commit that an id, branch or tag stands for."""
    sha = resolve(call)
    return answer_json(objects.commit(git.commit(call.repo.git_dir, sha), call.repo, call.links))


def resolve(call: Call) -> str:
    """Return the full id of the commit in the path, or refuse as GitHub does."""
    revision = call.args["ref"]
    sha = git.commit_sha(call.repo.git_dir, revision)
    if sha is None:
        raise Refused(422, f"No commit found for SHA: {revision}")
    return sha


def _wanted_tag(call: Call, wanted: dict[str, object], sha: str, kind: str) -> git.TagObject:
    tagger = wanted.get("tagger")
    given = tagger if isinstance(tagger, dict) else {}
    when = str(given.get("date") or call.world.clock().isoformat())
    person = git.Person(
        name=str(given.get("name", call.actor.login)),
        email=str(given.get("email", f"{call.actor.login}@example.invalid")),
        when=datetime.fromisoformat(when).isoformat(),
    )
    tag, message = str(wanted.get("tag", "")), str(wanted.get("message", ""))
    return git.TagObject(sha="", tag=tag, object=sha, object_type=kind, tagger=person, message=message)
