"""Scalars in a file that TensorBoard reads.

An event file is a row of records; a record is framed by its length and by checksums, so that a reader sees where a
file that is still being written ends:

    length: uint64 | checksum of the length: uint32 | an Event | checksum of the Event: uint32    all little-endian

An Event is a protocol buffer. Its fields are few, so they are put down by hand:

    Event    wall_time = 1: double    step = 2: int64    file_version = 3: string    summary = 5: Summary
    Summary  value = 1: Value, repeated
    Value    tag = 1: string    simple_value = 2: float
"""

import contextlib
import itertools
import math
import os
import socket
import struct
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self

VERSION = b"brain.Event:2"  # a reader refuses files that do not begin with it

VARINT, DOUBLE, BYTES, FLOAT = 0, 1, 2, 5  # how a field's value is laid out


def _crc_of(byte: int) -> int:
    for _ in range(8):
        byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)  # Castagnoli's polynomial, lowest bit first
    return byte


CRC_TABLE = [_crc_of(byte) for byte in range(256)]

_counter = itertools.count()  # one process may open two files within a second


class EventFile:
    """A new event file in a folder. What was written can be read as soon as the call returns."""

    def __init__(self, folder: Path | str) -> None:
        now = time.time()
        # TensorBoard wants "tfevents" in the name, and reads the files of a folder in the order of their names.
        name = f"events.out.tfevents.{int(now):010d}.{socket.gethostname()}.{os.getpid()}.{next(_counter)}"
        self.path = Path(folder) / name
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("xb")
        try:
            self._write(_field(1, DOUBLE, struct.pack("<d", now)) + _field(3, BYTES, VERSION))
        except OSError:
            with contextlib.suppress(OSError):  # which would try to write once more
                self._file.close()
            raise

    def scalars(self, step: int, values: Mapping[str, float], wall_time: float) -> None:
        """Write one point of each curve in `values`; `wall_time` is in seconds since 1970."""
        summary = b"".join(
            _field(1, BYTES, _field(1, BYTES, tag.encode()) + _field(2, FLOAT, _float32(value)))
            for tag, value in values.items()
        )
        when = _field(1, DOUBLE, struct.pack("<d", wall_time)) + _field(2, VARINT, _varint(step))
        self._write(when + _field(5, BYTES, summary))

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, event: bytes) -> None:
        # What a full disk does not take stays in Python's buffer and goes first the next time: no record is torn.
        length = struct.pack("<Q", len(event))
        self._file.write(length + _checksum(length) + event + _checksum(event))
        self._file.flush()


def crc32c(data: bytes) -> int:
    """The CRC-32C of `data`."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC_TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def _checksum(data: bytes) -> bytes:
    """The masked CRC: a CRC of data that holds its own CRC says little, so it is rotated and moved first."""
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def _field(number: int, layout: int, value: bytes) -> bytes:
    size = _varint(len(value)) if layout == BYTES else b""
    return _varint(number << 3 | layout) + size + value


def _varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first; a negative number as its 64-bit two's complement."""
    number = int(number) % 2**64
    groups = [number >> shift & 0x7F for shift in range(0, max(1, number.bit_length()), 7)]
    return bytes([*(group | 0x80 for group in groups[:-1]), groups[-1]])


def _float32(value: float) -> bytes:
    try:
        return struct.pack("<f", value)
    except OverflowError:  # a loss that explodes should show as infinite, not end the training
        return struct.pack("<f", math.copysign(math.inf, value))
