"""Checks of a cluster before it is used: workers, and the versions of packages on them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from distributed import Client

from .cluster import ClusterError, WorkerLostError, address_of, lost_as_error, wait_for_workers

#: Packages that must be of the same version on the client and on all workers.
PACKAGES = ("directrank", "lightgbm")


def check_cluster(client: Client) -> None:
    """Raise if a cluster has no worker, or if scheduler or workers lack directrank or have another version of it."""
    wait_for_workers(client)
    _check_imports(client)
    found = client.get_versions(packages=list(PACKAGES))
    ours = found["client"]["packages"]
    _check_versions(f"the scheduler at {address_of(client)}", found["scheduler"], ours, PACKAGES[:1])
    for address, versions in found["workers"].items():
        _check_versions(f"the worker at {address}", versions, ours, PACKAGES)


def _check_imports(client: Client) -> None:
    """Raise where directrank cannot be imported, which the versions of packages do not say."""
    for address, answer in client.run(import_module, f"{__package__}.collective", on_error="return").items():
        _check_import(f"the worker at {address}", answer)
    try:
        client.run_on_scheduler(import_module, PACKAGES[0])
    except ImportError as error:
        _check_import(f"the scheduler at {address_of(client)}", error)
    except Exception:  # the scheduler runs no functions
        return


def _check_import(who: str, answer: Any) -> None:
    if isinstance(answer, Exception) and not isinstance(lost_as_error(answer), WorkerLostError):
        why = " ".join(str(answer).split())
        raise ClusterError(f"{who} cannot import directrank ({why}); install directrank[dask] there, of the same version")


def _check_versions(who: str, versions: Any, ours: dict[str, str | None], packages: tuple[str, ...]) -> None:
    """Raise if a scheduler or worker has another version of a package than the client."""
    for package in packages:
        theirs = versions["packages"].get(package)
        if theirs != ours.get(package):
            both = f"{theirs or 'of an unknown version'}, but this process has {ours.get(package) or 'an unknown version'}"
            raise ClusterError(f"{who} has {package} {both}; install the same on both")
