"""Films, decoded again."""

import builtins
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from envwright.core.errors import EnvwrightError, MissingExtraError
from envwright.play.film import save_film
from envwright.play.frame import Pixels
from full_disk import disk_of

image: Any = pytest.importorskip("PIL.Image", reason="Pillow is not installed: pip install 'envwright[viz]'")
av: Any = pytest.importorskip("av", reason="PyAV is not installed: pip install 'envwright[viz]'")

KINDS = [pytest.param(".gif", id="gif"), pytest.param(".mp4", id="mp4")]
MANY = 80  # frames; more than the encoder looks ahead, so that some are written before the last is given


def ball(count: int, height: int = 48, width: int = 64) -> Iterator[Pixels]:
    """A square that moves over a court of two colours."""
    for t in range(count):
        frame = np.full((height, width, 3), (6, 24, 24), np.uint8)
        frame[:, width // 2 :] = (20, 60, 60)
        frame[8:24, 2 * t : 2 * t + 16] = (245, 160, 70)
        yield frame


def sky(count: int, height: int = 48, width: int = 64) -> Iterator[Pixels]:
    """Thousands of colours, from black on, and a black square that moves."""
    row, column = np.mgrid[:height, :width]
    for t in range(count):
        colours = column * 255 // width, row * 255 // height, (row + column) * 255 // (height + width)
        frame = np.stack(colours, axis=-1).astype(np.uint8)
        frame[8:24, 2 * t : 2 * t + 16] = 0
        yield frame


def noise(count: int) -> Iterator[Pixels]:
    """What no encoder makes small."""
    rng = np.random.default_rng(0)
    return (rng.integers(0, 256, (48, 64, 3)).astype(np.uint8) for _ in range(count))


def untouchable() -> Iterator[Pixels]:
    pytest.fail("A frame was asked for.")
    yield


def read_gif(path: Path) -> tuple[list[Pixels], list[int]]:
    """Frames, and how long each is shown in milliseconds."""
    frames, durations = [], []
    with image.open(path) as film:
        assert film.format == "GIF"
        assert film.info["loop"] == 0
        for i in range(film.n_frames):
            film.seek(i)
            frames.append(np.asarray(film.convert("RGB")))
            durations.append(film.info["duration"])
    return frames, durations


def read_mp4(path: Path) -> tuple[list[Pixels], float]:
    """Frames, and how many are shown in a second."""
    with av.open(str(path)) as film:
        (stream,) = film.streams
        assert (stream.codec.name, stream.pix_fmt) == ("h264", "yuv420p")
        decoded = list(film.decode(stream))
        times = [frame.time for frame in decoded]
        np.testing.assert_allclose(times, np.arange(len(times)) / float(stream.average_rate), atol=1e-3)
        return [frame.to_ndarray(format="rgb24") for frame in decoded], float(stream.average_rate)


def difference(one: Pixels, other: Pixels) -> float:
    return float(np.abs(one.astype(int) - other.astype(int)).mean())


def listing(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_gif_of_few_colours_is_exact(tmp_path: Path) -> None:
    path = tmp_path / "film.gif"
    assert save_film(ball(20), path, fps=25) == 20
    frames, durations = read_gif(path)
    assert durations == [40] * 20
    np.testing.assert_array_equal(frames, list(ball(20)))
    assert path.stat().st_size < 48 * 64 * 3  # less than one frame as it is
    assert listing(tmp_path) == ["film.gif"]


def test_a_gif_stores_only_the_pixels_that_change(tmp_path: Path) -> None:
    court = np.repeat(next(noise(1))[..., :1] & 127, 3, axis=-1)  # noise of 128 greys
    frames: list[Pixels] = [court.astype(np.uint8) for _ in range(20)]
    for t, frame in enumerate(frames):
        frame[0, 0] = frame[-1, -1] = 128 + t  # opposite corners: everything lies between
    save_film(frames[:1], tmp_path / "one.gif", fps=10)
    save_film(frames, tmp_path / "all.gif", fps=10)
    np.testing.assert_array_equal(read_gif(tmp_path / "all.gif")[0], frames)
    assert (tmp_path / "all.gif").stat().st_size < 3 * (tmp_path / "one.gif").stat().st_size


@pytest.mark.parametrize("colours", [1, 2, 254, 255, 256])
def test_the_palette_is_used_up_to_its_last_place(tmp_path: Path, colours: int) -> None:
    first = np.zeros((16, 16, 3), np.uint8)
    first[..., 2] = np.minimum(np.arange(256), colours - 1).reshape(16, 16)
    second = first[::-1].copy()
    save_film([first, second], tmp_path / "film.gif", fps=10)
    frames, _ = read_gif(tmp_path / "film.gif")
    tolerance = 0 if colours < 256 else 1
    np.testing.assert_allclose(frames[0].astype(int), first, atol=4 * tolerance)
    np.testing.assert_allclose(frames[-1].astype(int), second, atol=4 * tolerance)


def test_a_gif_of_many_colours_comes_close(tmp_path: Path) -> None:
    path = tmp_path / "film.gif"
    save_film(sky(20), path, fps=25)
    frames, _ = read_gif(path)
    assert len(frames) == 20
    assert max(difference(*pair) for pair in zip(frames, sky(20), strict=True)) < 6
    for frame, true in zip(frames, sky(20), strict=True):
        assert frame[true.max(axis=-1) == 0].max() < 24  # black stays black, and shows nothing of the frame before
    untouched = [frame[24:] for frame in frames]  # below the square
    assert all(np.array_equal(*pair) for pair in pairwise(untouched))


@pytest.mark.parametrize("fps", [0.5, 7, 24, 29.97, 30, 49, 50, 51, 60, 100, 144, 1000])
def test_a_gif_takes_as_long_as_it_should(tmp_path: Path, fps: float) -> None:
    count = 20
    save_film(ball(count), tmp_path / "film.gif", fps=fps)
    frames, durations = read_gif(tmp_path / "film.gif")
    assert abs(sum(durations) - 1000 * count / fps) <= (5 if fps <= 50 else 20)  # the last frame has its 20 too
    assert min(durations) >= 20
    assert max(durations) - min(durations) <= 10
    assert len(frames) == count if fps <= 50 else len(frames) < count
    shown = [next(t for t, frame in enumerate(ball(count)) if np.array_equal(frame, got)) for got in frames]
    starts = np.cumsum([0, *durations[:-1]])
    np.testing.assert_allclose(starts, 1000 * np.array(shown) / fps, atol=5)


def test_a_still_gif_keeps_its_time(tmp_path: Path) -> None:
    path = tmp_path / "film.gif"
    still = [next(ball(1))] * 30
    assert save_film([*still, *ball(2), *still], path, fps=10) == 62
    assert read_gif(path)[1] == [3100, 100, 3000]
    save_film(still * 3, path, fps=0.1)  # longer than a GIF can show one frame
    assert read_gif(path)[1] == [655350]


def test_an_mp4_comes_close(tmp_path: Path) -> None:
    path = tmp_path / "film.mp4"
    assert save_film(ball(20), path, fps=30) == 20
    frames, fps = read_mp4(path)
    assert (len(frames), fps) == (20, 30)
    assert max(difference(*pair) for pair in zip(frames, ball(20), strict=True)) < 3
    # Flat areas have their colours, whatever standard the player assumes for small films.
    np.testing.assert_allclose(frames[0][40, 4].astype(int), (6, 24, 24), atol=3)
    np.testing.assert_allclose(frames[0][16, 8].astype(int), (245, 160, 70), atol=3)
    data = path.read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")  # the index is in front
    assert listing(tmp_path) == ["film.mp4"]


@pytest.mark.parametrize("fps", [0.1, 12.5, 29.97, 60, 1000])
def test_an_mp4_has_any_speed(tmp_path: Path, fps: float) -> None:
    save_film(ball(7), tmp_path / "film.mp4", fps=fps)
    frames, got = read_mp4(tmp_path / "film.mp4")
    assert len(frames) == 7
    assert got == pytest.approx(fps)


@pytest.mark.parametrize("size", [(1, 1), (10, 10), (33, 47), (33, 48), (34, 47)])
@pytest.mark.parametrize("scale", [1, 3])
@pytest.mark.parametrize("suffix", KINDS)
def test_any_size_and_scale(tmp_path: Path, suffix: str, size: tuple[int, int], scale: int) -> None:
    path = tmp_path / f"film{suffix}"
    frames = list(ball(4, *size))
    save_film(frames, path, fps=10, scale=scale)
    got = (read_gif(path) if suffix == ".gif" else read_mp4(path))[0]
    height, width = (scale * n for n in size)
    even = 1 if suffix == ".gif" else 2
    assert got[0].shape == (height + height % even, width + width % even, 3)
    large = np.kron(frames[0], np.ones((scale, scale, 1), np.uint8))
    assert difference(got[0][:height, :width], large) < (1e-9 if suffix == ".gif" else 12)


def test_the_padding_of_an_mp4_repeats_the_edge(tmp_path: Path) -> None:
    frame = np.full((31, 31, 3), (200, 120, 40), np.uint8)
    save_film([frame], tmp_path / "film.mp4", fps=10)
    (got,), _ = read_mp4(tmp_path / "film.mp4")
    np.testing.assert_allclose(got.astype(int), np.broadcast_to((200, 120, 40), (32, 32, 3)), atol=4)


def test_an_mp4_holds_few_frames_at_a_time(tmp_path: Path) -> None:
    height, width = 240, 320
    save_film(ball(1), tmp_path / "film.mp4", fps=10)  # imports
    tracemalloc.start()
    try:
        save_film(ball(40, height, width), tmp_path / "film.mp4", fps=10)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 * height * width * 3


@pytest.mark.parametrize("suffix", KINDS)
def test_a_buffer_may_be_used_again(tmp_path: Path, suffix: str) -> None:
    def reused() -> Iterator[Pixels]:
        buffer = np.zeros((48, 64, 3), np.uint8)
        for frame in ball(10):
            buffer[:] = frame
            yield buffer

    path = tmp_path / f"film{suffix}"
    save_film(reused(), path, fps=10)
    frames = (read_gif(path) if suffix == ".gif" else read_mp4(path))[0]
    assert max(difference(*pair) for pair in zip(frames, ball(10), strict=True)) < 3


@pytest.mark.parametrize("suffix", KINDS)
def test_a_film_is_replaced_only_by_a_whole_one(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"film{suffix}"
    save_film(ball(3), path, fps=10)
    before = path.read_bytes()

    def torn(error: BaseException) -> Iterator[Pixels]:
        yield from ball(30)
        raise error

    for error in (OSError("the caller's"), RuntimeError("the caller's"), KeyboardInterrupt("the caller's")):
        with pytest.raises(type(error), match="the caller's"):  # as it is, not as a trouble of the disk
            save_film(torn(error), path, fps=10)
        assert path.read_bytes() == before
        assert listing(tmp_path) == [path.name]
    save_film(ball(5), path, fps=10)
    assert path.read_bytes() != before


def no_frames() -> list[Any]:
    return []


def two_shapes() -> list[Any]:
    return [*ball(2), *ball(1, height=50)]


def floats() -> list[Any]:
    return [*ball(1), np.zeros((48, 64, 3), np.float32)]


def grey() -> list[Any]:
    return [np.zeros((48, 64), np.uint8)]


def with_alpha() -> list[Any]:
    return [np.zeros((48, 64, 4), np.uint8)]


def empty_frame() -> list[Any]:
    return [np.zeros((0, 64, 3), np.uint8)]


def not_arrays() -> list[Any]:
    return [[[1, 2, 3], [4]]]


def huge() -> list[Any]:
    return [np.zeros((1, 20000, 3), np.uint8)]


@pytest.mark.parametrize(
    ("frames", "sentence"),
    [
        (no_frames, "There are no frames to make a film of; give at least one."),
        (two_shapes, "Frame 2 has shape (50, 64, 3), but frame 0 has (48, 64, 3); give frames of one shape."),
        (floats, "Frame 1 is float32 of shape (48, 64, 3); give uint8 arrays of shape (height, width, 3)."),
        (grey, "Frame 0 is uint8 of shape (48, 64); give uint8 arrays of shape (height, width, 3)."),
        (with_alpha, "Frame 0 is uint8 of shape (48, 64, 4); give uint8 arrays of shape (height, width, 3)."),
        (empty_frame, "Frame 0 is uint8 of shape (0, 64, 3); give uint8 arrays of shape (height, width, 3)."),
        (not_arrays, "Frame 0 is list of shape (); give uint8 arrays of shape (height, width, 3)."),
        (huge, "Frames of shape (1, 20000, 3) at scale 1 exceed 16384 pixels a side; choose a smaller scale."),
    ],
)
@pytest.mark.parametrize("suffix", KINDS)
def test_bad_frames(tmp_path: Path, suffix: str, frames: Callable[[], list[Any]], sentence: str) -> None:
    with pytest.raises(EnvwrightError) as caught:
        save_film(frames(), tmp_path / f"film{suffix}", fps=10)
    assert str(caught.value) == sentence
    assert listing(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "options", "sentence"),
    [
        ("film.avi", {}, "ends in neither; give it one of these endings."),
        ("film", {}, "ends in neither; give it one of these endings."),
        ("film.gif", {"fps": 0}, "fps must be from 0.1 to 1000, but is 0."),
        ("film.gif", {"fps": float("nan")}, "fps must be from 0.1 to 1000, but is nan."),
        ("film.gif", {"scale": 0}, "scale must be at least 1, but is 0."),
        ("no/film.mp4", {}, "does not exist; make it first, or choose another."),
        ("folder.mp4", {}, "is a folder; choose another name for the film."),
        (300 * "x" + ".gif", {}, "File name too long; free some space, or choose another folder."),
    ],
)
def test_bad_places_and_options_are_found_before_the_first_frame(
    tmp_path: Path, name: str, options: dict[str, Any], sentence: str
) -> None:
    (tmp_path / "folder.mp4").mkdir()
    with pytest.raises(EnvwrightError) as caught:
        save_film(untouchable(), tmp_path / name, **({"fps": 10} | options))
    assert str(caught.value).endswith(sentence)
    assert listing(tmp_path) == ["folder.mp4"]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that not even root can write to")
@pytest.mark.parametrize("suffix", KINDS)
def test_a_folder_that_takes_no_files_is_found_before_the_first_frame(suffix: str) -> None:
    with pytest.raises(EnvwrightError, match=r"^'/proc/film.*' cannot be written: .*; .* choose another folder\.$"):
        save_film(untouchable(), Path(f"/proc/film{suffix}"), fps=10)


@pytest.mark.parametrize("room", [0.0, 0.2, 0.9])
@pytest.mark.parametrize(("suffix", "count"), [(".gif", 5), (".mp4", MANY)])
def test_a_full_disk(tmp_path: Path, suffix: str, count: int, room: float) -> None:
    path = tmp_path / f"film{suffix}"
    save_film(noise(count), path, fps=10)
    size = path.stat().st_size
    path.unlink()
    with disk_of(int(room * size)), pytest.raises(EnvwrightError) as caught:
        save_film(noise(count), path, fps=10)
    sentence = f"'{path}' cannot be written: File too large; free some space, or choose another folder."
    assert str(caught.value) == sentence
    assert listing(tmp_path) == []


def test_a_full_disk_does_not_hide_an_error_of_the_caller(tmp_path: Path) -> None:
    def torn() -> Iterator[Pixels]:
        yield from noise(MANY)
        (part,) = tmp_path.iterdir()
        limit.enter_context(disk_of(part.stat().st_size))
        raise RuntimeError("the caller's")

    with ExitStack() as limit, pytest.raises(RuntimeError, match="the caller's"):
        save_film(torn(), tmp_path / "film.mp4", fps=10)
    assert listing(tmp_path) == []


@pytest.mark.parametrize(("suffix", "module", "package"), [(".gif", "PIL", "pillow"), (".mp4", "av", "av")])
def test_a_missing_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, module: str, package: str
) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.partition(".")[0] == module:
            raise ModuleNotFoundError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError) as caught:
        save_film(ball(1), tmp_path / f"film{suffix}", fps=10)
    assert f"the package '{package}'" in str(caught.value)
    assert "pip install 'envwright[viz]'" in str(caught.value)
    assert listing(tmp_path) == []
