"""Primary rate limits: one bucket a token, one for everybody anonymous; the headers that tell of them."""

import threading
import time
from dataclasses import dataclass, replace


@dataclass(frozen=True, kw_only=True)
class Bucket:
    """What is left of a limit; ``reset`` is seconds since the epoch."""

    limit: int
    remaining: int
    reset: int

    @property
    def used(self) -> int:
        """How many requests were counted."""
        return self.limit - self.remaining

    def headers(self) -> dict[str, str]:
        """Return GitHub's five rate limit headers."""
        return {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Used": str(self.used),
            "X-RateLimit-Reset": str(self.reset),
            "X-RateLimit-Resource": "core",
        }


class Limits:
    """Buckets by token (None: anonymous); thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._buckets: dict[str | None, Bucket] = {}
        self.exhausted_status = 403

    def set(self, token: str | None, *, limit: int = 5000, remaining: int, reset_in: int = 3600) -> None:
        """Set what the token (None: anonymous) has left."""
        with self._lock:
            reset = int(time.time()) + reset_in
            self._buckets[token] = Bucket(limit=limit, remaining=remaining, reset=reset)

    def look(self, token: str | None) -> Bucket:
        """Return the bucket; a past reset fills it again."""
        with self._lock:
            return self._current(token)

    def charge(self, token: str | None) -> Bucket:
        """Take one request from the bucket and return it; ``remaining`` never falls below 0."""
        with self._lock:
            bucket = self._current(token)
            bucket = replace(bucket, remaining=max(0, bucket.remaining - 1))
            self._buckets[token] = bucket
            return bucket

    def _current(self, token: str | None) -> Bucket:
        now = int(time.time())
        full = 60 if token is None else 5000
        bucket = self._buckets.get(token, Bucket(limit=full, remaining=full, reset=now + 3600))
        if bucket.reset <= now:
            bucket = Bucket(limit=bucket.limit, remaining=bucket.limit, reset=now + 3600)
        self._buckets[token] = bucket
        return bucket
