"""The version of envwright, where every room can read it."""

VERSION = "0.1.0"
