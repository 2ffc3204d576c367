"""What names of Python's world mean to an analysis: randomness, drawing on a screen, files, threads, the clock."""

import importlib.util
import random
import sys
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import numpy as np

GENERATORS = {
    "numpy.random.default_rng", "numpy.random.RandomState", "random.Random", "random.SystemRandom",
    "gymnasium.utils.seeding.np_random", "gym.utils.seeding.np_random",
}  # fmt: skip
_PLAIN = set(dir(np.random.Generator)) | set(dir(np.random.RandomState)) | set(dir(random.Random))
_NO_DRAWS = {"seed", "spawn", "get_state", "set_state", "getstate", "setstate", "bit_generator", "bytes", "power", "f"}
DRAWS = {name for name in _PLAIN if not name.startswith("_")} - _NO_DRAWS | {"sample"}

MUTATORS = {
    "append", "appendleft", "extend", "extendleft", "insert", "remove", "pop", "popleft", "popitem", "clear", "sort",
    "reverse", "rotate", "add", "discard", "update", "setdefault", "fill", "put", "itemset", "resize", "partition",
    "setflags", "difference_update", "intersection_update", "symmetric_difference_update",
}  # fmt: skip
ONLY_WRITE = {"append", "appendleft", "extend", "extendleft", "insert", "clear", "add", "discard", "update", "reverse"}
CHANGES_FIRST = {"numpy.copyto", "numpy.put", "numpy.place", "numpy.fill_diagonal", "heapq.heappush", "heapq.heappop",
                 "heapq.heapify", "random.shuffle", "numpy.random.shuffle"}  # fmt: skip
COMMON = {name for kind in (list, dict, set, str, bytes, tuple, int, float, np.ndarray) for name in dir(kind)}

ALLOCATORS = {"zeros", "ones", "empty", "full"}

SCREEN = {"pygame", "pyglet", "matplotlib", "seaborn", "cv2", "PIL", "tkinter", "OpenGL", "glfw", "moderngl", "turtle"}
_KINDS = {
    "uses threads or processes": {"threading", "multiprocessing", "concurrent", "asyncio", "subprocess"},
    "uses the network": {"socket", "requests", "urllib", "http", "httpx", "aiohttp", "websockets", "ftplib"},
    "reads or writes files": {"shutil", "tempfile", "sqlite3", "glob"},
}
_CALLS = {
    "reads or writes files": {
        "open", "io.open", "numpy.load", "numpy.save", "numpy.loadtxt", "numpy.genfromtxt", "pickle.load",
        "pickle.dump", "json.load", "json.dump", "os.listdir", "os.remove", "os.makedirs", "os.open",
    },
    "reads the clock": {
        "time.time", "time.time_ns", "time.perf_counter", "time.monotonic", "datetime.datetime.now",
        "datetime.datetime.today", "datetime.date.today",
    },
    "waits": {"time.sleep"},
    "draws random numbers that cannot be seeded": {"os.urandom", "uuid.uuid1", "uuid.uuid4"},
    "finds code by name at run time, which was not followed": {"eval", "exec", "__import__", "importlib.import_module"},
}  # fmt: skip
FILE_METHODS = {"read_text", "write_text", "read_bytes", "write_bytes"}
_KNOWN = {"numpy", "gymnasium", "gym", "typing_extensions"}


def shared_draw(path: str) -> bool:
    """Whether a function draws from a generator of the whole program."""
    module, _, name = path.rpartition(".")
    if module in ("random", "numpy.random"):
        return name in DRAWS or name in ("ranf", "rand", "randn", "random_sample")
    return module == "torch" and (name.startswith("rand") or name in ("normal", "bernoulli", "multinomial"))


def keyed_draw(path: str) -> bool:
    """Whether a function draws from a key that it is given, as JAX's do."""
    module, _, name = path.rpartition(".")
    return module == "jax.random" and name not in ("PRNGKey", "key", "split", "fold_in", "wrap_key_data", "key_data")


def call_hazard(path: str) -> str:
    """What a call does that a translation cannot, or nothing."""
    top = path.partition(".")[0]
    if top == "secrets":
        return "draws random numbers that cannot be seeded"
    by_call = [kind for kind, names in _CALLS.items() if path in names]
    by_module = [kind for kind, names in _KINDS.items() if top in names and "." in path]
    return next(iter(by_call + by_module), "")


def is_own_world(path: str) -> bool:
    """Whether something is Python's own, or of a package that is known well."""
    top = path.partition(".")[0]
    return top in _KNOWN or top in sys.stdlib_module_names


def outside_hazard(top: str) -> str:
    """What is to be said of a package of others, or nothing."""
    if is_own_world(top) or top in SCREEN:
        return ""
    inside = "there is a C extension inside" if has_extension(top) else "its source was not looked at"
    return f"The package {top} is called, and {inside}."


@cache
def has_extension(top: str) -> bool:
    """Whether an installed package holds compiled code; it is not imported."""
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return False
    if spec is None:
        return False
    if spec.origin and spec.origin.endswith(tuple(EXTENSION_SUFFIXES)):
        return True
    folders = spec.submodule_search_locations or ()
    return any(path.suffix in (".so", ".pyd") for folder in folders for path in Path(folder).rglob("*.[sp][oy]*"))
