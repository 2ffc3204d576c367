"""Wheels, written by ourselves: a zip file whose bytes follow from what is in it, and from nothing else.

No time, no user, no order of a file system gets in, and nothing is compressed, for compressors differ between versions.
"""

import base64
import csv
import hashlib
import io
import zipfile
from collections.abc import Mapping
from pathlib import PurePosixPath

from envwright.core.errors import EnvwrightError

THE_BEGINNING = (1980, 1, 1, 0, 0, 0)  # of a zip file's time
PLAIN_FILE = 0o100644
PURE = "py3-none-any"
WHEEL = "Wheel-Version: 1.0\nGenerator: envwright\nRoot-Is-Purelib: {pure}\nTag: {tag}\n"


class PackageError(EnvwrightError, ValueError):
    """A package cannot be made of what is there."""


def write_wheel(
    name: str,
    version: str,
    files: Mapping[str, str | bytes],
    metadata: str,
    entry_points: str,
    tag: str = PURE,
) -> tuple[str, bytes]:
    """The name and the content of a wheel with these files; pure Python, unless its tag says for what it was built."""
    info = f"{name}-{version}.dist-info"
    content = {_checked(p): given.encode() if isinstance(given, str) else given for p, given in files.items()}
    content |= {
        f"{info}/METADATA": metadata.encode(),
        f"{info}/WHEEL": WHEEL.format(pure=str(tag == PURE).lower(), tag=tag).encode(),
        f"{info}/entry_points.txt": entry_points.encode(),
    }
    record = f"{info}/RECORD"
    content[record] = _record(content, record)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(content, key=lambda p: (p.startswith(info), p)):  # what is about the files comes after them
            entry = zipfile.ZipInfo(path, THE_BEGINNING)
            entry.create_system, entry.external_attr = 3, PLAIN_FILE << 16  # as on Unix, wherever we are
            archive.writestr(entry, content[path])
    return f"{name}-{version}-{tag}.whl", buffer.getvalue()


def _record(content: Mapping[str, bytes], own: str) -> bytes:
    """Every file with its hash and size, but for the record itself."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for path in sorted(content):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content[path]).digest()).rstrip(b"=").decode()
        writer.writerow([path, f"sha256={digest}", len(content[path])])
    writer.writerow([own, "", ""])
    return text.getvalue().encode()


def _checked(path: str) -> str:
    """A path that stays where it is unpacked."""
    parts = PurePosixPath(path).parts
    if not parts or ".." in parts or path.startswith("/") or "\\" in path or str(PurePosixPath(path)) != path:
        raise PackageError(f"'{path}' is no place in a package; write it like 'fast_game/rules.py'.")
    return path
