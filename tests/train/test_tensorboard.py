"""What TensorBoard will read is what was written."""

import math
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from envwright.training.tensorboard import EventFile, crc32c

POINTS: list[tuple[int, dict[str, float], float]] = [
    (0, {"loss": 1.5, "return": -20.0}, 1_700_000_000.25),
    (1, {"loss": 0.0}, 1_700_000_001.0),
    (127, {}, 1_700_000_001.5),
    (128, {"Ertrag/größe 🏓": 2.0**-149}, 1_700_000_002.0),
    (-1, {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}, 0.0),
    (2**63 - 1, {"x" * 300: -0.0}, 1.0),
    (-(2**63), {"": 1.0}, 2.0),
]


def unmasked(mask: int) -> int:
    """The CRC under a mask."""
    rotated = (mask - 0xA282EAD8) % 2**32
    return (rotated >> 17 | rotated << 15) % 2**32


def records(data: bytes) -> Iterator[bytes]:
    """Take the frames off."""
    while data:
        if len(data) < 12:
            raise EOFError("torn within a length")
        length, mask = struct.unpack("<QI", data[:12])
        assert unmasked(mask) == crc32c(data[:8])
        if len(data) < 12 + length + 4:
            raise EOFError("torn within a record")
        event, data = data[12 : 12 + length], data[12 + length :]
        assert unmasked(*struct.unpack("<I", data[:4])) == crc32c(event)
        yield event
        data = data[4:]


def varint(data: bytes) -> tuple[int, bytes]:
    number = shift = 0
    for used, byte in enumerate(data, 1):
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return number, data[used:]
    raise EOFError("torn within a number")


def fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """Numbers and values of a message's fields."""
    while data:
        key, data = varint(data)
        number, layout = key >> 3, key & 7
        if layout == 0:
            value, data = varint(data)
        elif layout == 2:
            size, data = varint(data)
            value, data = data[:size], data[size:]
            assert len(value) == size
        else:
            code, size = {1: ("<d", 8), 5: ("<f", 4)}[layout]
            (value,), data = struct.unpack(code, data[:size]), data[size:]
        yield number, value


def point(event: bytes) -> tuple[int, dict[str, float], float]:
    """The arguments of `scalars` that make this event."""
    found = dict(fields(event))
    assert found.keys() == {1, 2, 5}
    values = [dict(fields(value)) for _, value in fields(found[5])]
    step = found[2] - 2**64 if found[2] >= 2**63 else found[2]
    return step, {value[1].decode(): value[2] for value in values}, found[1]


def write(folder: Path) -> Path:
    with EventFile(folder) as events:
        for one in POINTS:
            events.scalars(*one)
    return events.path


@pytest.mark.parametrize(
    ("data", "crc"),
    [  # from RFC 3720, B.4, and the check value of the CRC catalogues
        (b"", 0),
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(reversed(range(32))), 0x113FDB5C),
    ],
)
def test_crc32c_of_known_vectors(data: bytes, crc: int) -> None:
    assert crc32c(data) == crc


def test_every_point_is_read_back(tmp_path: Path) -> None:
    first, *rest = records(write(tmp_path).read_bytes())
    assert [number for number, _ in fields(first)] == [1, 3]
    assert dict(fields(first))[3] == b"brain.Event:2"
    for event, (step, values, wall_time) in zip(rest, POINTS, strict=True):
        got_step, got, got_time = point(event)
        assert (got_step, got_time, list(got)) == (step, wall_time, list(values))
        assert struct.pack(f"{len(got)}f", *got.values()) == struct.pack(f"{len(got)}f", *values.values())


def test_a_torn_file_is_seen_wherever_it_is_torn(tmp_path: Path) -> None:
    data = write(tmp_path).read_bytes()
    whole, end = {0}, 0
    for event in records(data):
        end += 8 + 4 + len(event) + 4
        whole.add(end)
    assert end == len(data)
    for size in set(range(len(data))) - whole:
        with pytest.raises(EOFError, match="torn"):
            list(records(data[:size]))


def test_a_changed_byte_is_seen(tmp_path: Path) -> None:
    data = write(tmp_path).read_bytes()
    for at in range(0, len(data), 7):
        with pytest.raises((AssertionError, EOFError)):
            list(records(data[:at] + bytes([data[at] ^ 16]) + data[at + 1 :]))


def test_a_point_is_on_disk_when_the_call_returns(tmp_path: Path) -> None:
    with EventFile(tmp_path) as events:
        assert len(list(records(events.path.read_bytes()))) == 1
        events.scalars(*POINTS[0])
        assert point(list(records(events.path.read_bytes()))[1]) == POINTS[0]


def test_numbers_of_numpy_and_too_large_ones_are_taken(tmp_path: Path) -> None:
    step: Any = np.int64(-3)
    values: Any = {"a": np.float32(0.1), "up": 1e300, "down": -1e300}
    with EventFile(tmp_path) as events:
        events.scalars(step, values, np.float64(2.0))
    step, values, _ = point(list(records(events.path.read_bytes()))[1])
    assert step == -3
    assert values == {"a": float(np.float32(0.1)), "up": math.inf, "down": -math.inf}


def test_two_files_of_one_second_do_not_meet(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    with EventFile(folder) as one, EventFile(folder) as other:
        assert one.path != other.path
    assert sorted(folder.iterdir()) == sorted([one.path, other.path])
    assert all(path.name.startswith("events.out.tfevents.") for path in folder.iterdir())


def test_a_full_disk_is_an_os_error_and_tears_no_record(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="limits of processes are a thing of Unix")
    with EventFile(tmp_path) as events:
        room = events.path.stat().st_size + 10  # less than a record
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
        try:
            with pytest.raises(OSError, match="File too large"):
                events.scalars(*POINTS[0])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        events.scalars(*POINTS[1])
    assert [point(event) for event in list(records(events.path.read_bytes()))[1:]] == POINTS[:2]


def test_a_folder_that_cannot_be_made_is_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        EventFile(tmp_path / "file")


@pytest.mark.filterwarnings("default")  # TensorBoard's own imports warn
def test_tensorboard_reads_it(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="TensorBoard is not installed: pip install tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator  # pyright: ignore

    with EventFile(tmp_path) as events:
        for step in range(3):
            events.scalars(step, {"loss": 1 / (1 + step), "größe": math.inf}, 100.0 + step)
    read: Any = EventAccumulator(str(tmp_path)).Reload()
    assert read.Tags()["scalars"] == ["loss", "größe"]
    curve = [(point.wall_time, point.step, point.value) for point in read.Scalars("loss")]
    assert curve == [(100.0 + step, step, float(np.float32(1 / (1 + step)))) for step in range(3)]
    assert [point.value for point in read.Scalars("größe")] == [math.inf] * 3
