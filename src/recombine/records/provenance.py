"""Where a result came from: versions, the kind of machine, the commit and the time. Nothing personal."""

import functools
import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import recombine

PACKAGE = Path(__file__).resolve().parents[1]


def provenance() -> dict[str, Any]:
    """What a record says about its origin, as plain JSON values.

    It holds no path, no host name and no user name, so that records can be published as they are. Versions come
    from the installed packages' own data: asking for torch's does not import it.
    """
    return {
        "recombine": recombine.__version__,
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "torch": version("torch"),
        "platform": f"{platform.system()} {platform.machine()}",
        "cpus": os.cpu_count(),
        "commit": commit(PACKAGE),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def version(package: str) -> str | None:
    """The installed version of a package, or None if it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


@functools.cache
def commit(folder: Path) -> str | None:
    """The commit a source folder was checked out from, ending in ``-dirty`` if the folder has been changed.

    None if the folder is not itself under version control: a copy that is merely installed somewhere inside
    another repository must not report that repository's commit.
    """
    if git(folder, "ls-files", "--error-unmatch", "--", "__init__.py") is None:
        return None
    head = git(folder, "rev-parse", "HEAD")
    changes = git(folder, "status", "--porcelain", "--", ".")
    return f"{head}-dirty" if head and changes else head


def git(folder: Path, *arguments: str) -> str | None:
    """What a git command prints about a folder, or None if it fails in any way."""
    # Variables set by a surrounding git hook would point elsewhere; taking no locks disturbs nobody's work.
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            env={**own, "GIT_OPTIONAL_LOCKS": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return done.stdout.strip()
