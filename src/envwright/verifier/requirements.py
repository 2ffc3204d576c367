"""The packages that a contract was written for: whether they are there, in the versions that it names."""

import re
from importlib import metadata

from envwright.core.errors import EnvwrightError, MissingExtraError
from envwright.verifier.contract import Contract

ANY = "*"  # version


def check(contract: Contract) -> None:
    """Raise one sentence on the first package that is missing or of another version."""
    for package, wanted in contract.requires.items():
        found = _installed(package)
        pinned = package if wanted == ANY else f"{package}=={wanted}"
        named = package if wanted == ANY else f"{package} {wanted}"
        if found is None:
            extra = _extra(package)
            what = f"'envwright[{extra}]'" + ("" if wanted == ANY else f" '{pinned}'") if extra else f"'{pinned}'"
            raise MissingExtraError(
                f"Verifying {contract.candidate} needs {named}, which is not installed; run: pip install {what}"
            )
        if wanted not in (ANY, found):
            raise EnvwrightError(
                f"Verifying {contract.candidate} needs {named}, but {package} {found} is installed; run: pip install "
                f"'{pinned}'"
            )


def versions(contract: Contract) -> str:
    """The packages of the contract, as they are installed."""
    return ", ".join(f"{package} {_installed(package)}" for package in contract.requires)


def _installed(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _extra(package: str) -> str | None:
    """The extra of envwright that installs a package, if one does; of several, the one that installs least."""
    installs: dict[str, set[str]] = {}
    for line in metadata.requires("envwright") or ():
        name, extra = re.match(r"[\w.-]+", line), re.search(r"extra == ['\"](.+?)['\"]", line)
        if name and extra:
            installs.setdefault(extra[1], set()).add(name[0].lower())
    having = [extra for extra, packages in installs.items() if package.lower() in packages]
    return min(having, key=lambda extra: len(installs[extra]), default=None)
