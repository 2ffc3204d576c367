"""A built crate as a wheel: what `pip install` takes, for machines like this one."""

import base64
import hashlib
import sysconfig
import tomllib
from pathlib import Path

from envwright.core.errors import EnvwrightError
from envwright.recipe.targets.cargo import Built

LEAST_PYTHON = "cp311"  # the stable ABI that the library is built for


def wheel_name(folder: Path) -> str:
    """What the file is called, which is what pip reads first."""
    project = _project(folder)
    return f"{project['name']}-{project['version']}-{_tag()}.whl"


def wheel(folder: Path, built: Built) -> dict[str, bytes]:
    """Everything in the wheel, by its path there."""
    if built.path is None:
        raise EnvwrightError(
            f"The crate in {folder} was not built, so there is nothing to pack; mend its errors first."
        )
    project = _project(folder)
    package = built.path.parent
    sources = sorted([*package.glob("*.py"), built.path])
    entries = {f"{package.name}/{path.name}": path.read_bytes() for path in sources}
    info = f"{project['name']}-{project['version']}.dist-info"
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {needed}" for needed in project["dependencies"]),
        "Description-Content-Type: text/markdown",
        "",
        (folder / project["readme"]).read_text(encoding="utf-8"),
    ]
    entries[f"{info}/METADATA"] = "\n".join(lines).encode()
    about = f"Wheel-Version: 1.0\nGenerator: envwright\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
    entries[f"{info}/WHEEL"] = about.encode()
    record = [f"{path},sha256={_hash(data)},{len(data)}" for path, data in entries.items()]
    entries[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    return entries


def _project(folder: Path) -> dict[str, str]:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _tag() -> str:
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{LEAST_PYTHON}-abi3-{platform}"


def _hash(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
