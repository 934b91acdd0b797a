"""A registry that can't be asked, refuses, or answers nonsense: never absent, never wrong, never complete."""

import socket

import pytest
from kit import CLI, CORE, VERSION, Row, World, look
from kit_proxy import Reply
from worlds_names import NO_CLI, T_CLI, T_CORE, V_CLI, V_CORE

PAGE = b"<!DOCTYPE html><html><body>Sign in</body></html>"
TARBALL = f"/{CLI}/-/cli-{VERSION}.tgz"


def down(w: World) -> None:
    """Nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        w.env["npm_config_registry"] = f"http://127.0.0.1:{free.getsockname()[1]}"


def answer(status: int, body: bytes = b"{}", kind: str = "application/json", path: str = f"/{CLI}") -> object:
    """Return the change that lets the registry answer so for cli's document, or for ``path``."""
    return lambda w: w.proxy.answer(path, Reply(status, body, kind))


def document(old: bytes, new: bytes) -> object:
    """Return the change that replaces bytes in cli's document."""
    return lambda w: w.proxy.change(f"/{CLI}", lambda body: body.replace(old, new))


def row(name: str, cases: str, change: object, reason: str, keys: tuple[str, ...] = (V_CLI, T_CLI)) -> Row:
    """Return the row in which ``keys`` can't be told, and everything else is complete."""
    return Row(
        id=name,
        cases=cases,
        change=change,  # type: ignore[arg-type]
        open=dict.fromkeys(keys, reason),
        states={"npm-publish": "partial" if V_CORE not in keys else "pending", "package-build": "complete"},
        exit=4,
    )


OTHER = document(b'"name": "@acme/cli"', b'"name": "@acme/else"')
NO_DIST = document(b'"integrity":', b'"integrity-was":')

ROWS = (
    row("down", "K24 C212", down, "npm.unreachable", (V_CORE, T_CORE, V_CLI, T_CLI)),
    row("unauthorized", "C030 C095", answer(401), "npm.denied"),
    row("forbidden", "C044 C093", answer(403), "npm.denied"),
    row("too-many", "K21", answer(429), "npm.rate-limited"),
    row("server-error", "C033", answer(503), "npm.unreachable"),
    row("empty", "C026", answer(200, b""), "npm.bad-answer"),
    row("empty-object", "C026", answer(200, b"{}"), "npm.bad-answer"),
    row("page", "C026", answer(200, PAGE, "text/html"), "npm.bad-answer"),
    row("page-with-404", "C026 C203", answer(404, PAGE, "text/html"), "npm.bad-answer"),
    row("other-package", "C026", OTHER, "npm.bad-answer"),
    row("truncated", "C199", document(b"}", b""), "npm.bad-answer"),
    row("tarball-denied", "K24", answer(403, path=TARBALL), "npm.denied", (V_CLI,)),
    row("tarball-server-error", "C035", answer(502, path=TARBALL), "npm.unreachable", (V_CLI,)),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_what_cannot_be_asked_is_never_a_verdict(row: Row, world: World) -> None:
    """Each row's ``cases``: pending, cannot-tell, exit 4; the other channels are judged all the same."""
    result = look(row, world)
    assert {result.finding(*key.split("/", 1))["who"] for key in row.open} == {"cannot-tell"}


def test_a_404_is_absence_only_with_a_registry_s_body(world: World) -> None:
    """A plain 404 means not published, and says that a registry also hides what one may not see (C025)."""
    world.proxy.answer(f"/{CLI}", Reply(404, b'{"error":"Not found"}'))
    result = look(Row(id="", cases="", change=lambda w: None, open=NO_CLI, exit=2), world)
    assert "may not see" in result.message("npm-publish", f"{CLI}@{VERSION}")


def test_something_wrong_elsewhere_outweighs_what_cannot_be_told(world: World) -> None:
    """A failed channel exits 1 although another one could not be looked at."""
    world.proxy.answer(f"/{CLI}", Reply(503))
    world.release.set(prerelease=True)
    result = world.status()
    assert (result.exit, result.reason("npm-publish", f"{CORE}@{VERSION}")) == (1, "npm.identical")


def test_a_page_in_place_of_a_tarball_is_no_corruption(world: World) -> None:
    """A proxy's page under the tarball's address is an answer that can't be understood."""
    world.proxy.answer(TARBALL, Reply(200, PAGE, "text/html"))
    result = world.status()
    assert result.reason("npm-publish", f"{CLI}@{VERSION}") in ("npm.bad-answer", "npm.tarball-corrupt")
    assert result.exit in (1, 4)
