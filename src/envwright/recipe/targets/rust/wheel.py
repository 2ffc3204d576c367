"""What of a built crate goes into a wheel, and for which machines that is."""

import sysconfig
from pathlib import Path

from envwright.core.errors import EnvwrightError

LEAST_PYTHON = "cp311"  # the stable ABI that the library is built for


def library(folder: Path, package: str) -> dict[str, bytes]:
    """The Python side of a crate with its library, by their paths in the wheel."""
    found = sorted((folder / "python" / package).iterdir())
    if not any(path.name.endswith(".so") for path in found):
        raise EnvwrightError(
            f"The crate in {folder} was not built, so there is nothing to pack; mend its errors first."
        )
    return {f"{package}/{path.name}": path.read_bytes() for path in found if path.suffix in (".py", ".so", ".typed")}


def tag() -> str:
    """Machines like this one, with any Python from LEAST_PYTHON on."""
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{LEAST_PYTHON}-abi3-{platform}"
