"""Conditional requests: every JSON answer to a GET carries a weak ETag over its bytes."""

from dataclasses import replace

from forge.call import Answer, Request

_HEADERS = {
    "Cache-Control": "private, max-age=60, s-maxage=60",
    "Vary": "Accept, Authorization, Accept-Encoding",
}


def revalidate(request: Request, answer: Answer) -> Answer:
    """Add the ETag to a 200 answer of a GET, or turn it into a 304 where the client has these bytes."""
    json = answer.headers.get("Content-Type", "").startswith("application/json")
    if request.method not in ("GET", "HEAD") or answer.status != 200 or not json:
        return answer
    etag = f'W/"{answer.body.sha256.removeprefix("sha256:")}"'
    headers = {**_HEADERS, **answer.headers, "ETag": etag}
    if _names(request.headers.get("if-none-match", ""), etag):
        kept = {name: value for name, value in headers.items() if name != "Content-Type"}
        return Answer(status=304, headers=kept)
    return replace(answer, headers=headers)


def _names(header: str, etag: str) -> bool:
    wanted = [one.strip().removeprefix("W/") for one in header.split(",")]
    return "*" in wanted or etag.removeprefix("W/") in wanted
