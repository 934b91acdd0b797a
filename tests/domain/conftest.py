"""Property tests: no deadline (shared machines stall) and no files left behind."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "domain", deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow], max_examples=200
)
settings.load_profile("domain")
