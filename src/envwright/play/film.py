"""Frames as a film: a GIF, which every page shows, or an MP4, which is smaller and smoother."""

import io
import secrets
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.core.errors import EnvwrightError, missing_extra
from envwright.play.frame import Pixels

FPS = (0.1, 1000.0)  # the slowest and the fastest film
LARGEST = 16384  # pixels a side; what H.264 encoders take

GIF_COLOURS = 255  # one of the 256 is kept for "as before"
GIF_SHORTEST = 2  # hundredths of a second; browsers show shorter frames for a tenth of a second instead
GIF_LONGEST = 65535  # hundredths of a second
GIF_SAMPLES = 8  # frames from which a palette is chosen when there are too many colours


def save_film(frames: Iterable[Pixels], path: Path, *, fps: float, scale: int = 1) -> int:
    """Write the frames, each (height, width, 3) uint8, `scale` times as large; returns how many there were.

    The ending of `path` says what is written: .gif, which keeps the colours exactly if they are fewer than 256, or
    .mp4, which takes one frame at a time and may be of any length. A GIF shows at most 50 frames a second; of a faster
    film it leaves frames out. The file appears when it is whole.
    """
    path = Path(path)
    kind = {".gif": Gif, ".mp4": Mp4}.get(path.suffix.lower())
    if kind is None:
        raise EnvwrightError(
            f"A film is a .gif or an .mp4, but '{path}' ends in neither; give it one of these endings."
        )
    if not FPS[0] <= fps <= FPS[1]:
        raise EnvwrightError(f"fps must be from {FPS[0]:g} to {FPS[1]:g}, but is {fps:g}.")
    if scale < 1:
        raise EnvwrightError(f"scale must be at least 1, but is {scale}.")
    count = 0
    with replacing(path) as part, closing(kind(part, fps)) as film:
        for frame in checked(frames, scale):
            with writing(path):
                film.add(frame.repeat(scale, axis=0).repeat(scale, axis=1))
            count += 1
        with writing(path):
            film.finish()
    return count


def checked(frames: Iterable[Pixels], scale: int) -> Iterator[Pixels]:
    """The frames, if they are some, of one shape, and bytes."""
    first: tuple[int, ...] | None = None
    for i, frame in enumerate(frames):
        shape, dtype = getattr(frame, "shape", ()), getattr(frame, "dtype", type(frame).__name__)
        if dtype != np.uint8 or len(shape) != 3 or shape[2] != 3 or 0 in shape:
            raise EnvwrightError(
                f"Frame {i} is {dtype} of shape {shape}; give uint8 arrays of shape (height, width, 3)."
            )
        first = first or shape
        if shape != first:
            raise EnvwrightError(f"Frame {i} has shape {shape}, but frame 0 has {first}; give frames of one shape.")
        if scale * max(shape) > LARGEST:
            raise EnvwrightError(
                f"Frames of shape {shape} at scale {scale} exceed {LARGEST} pixels a side; choose a smaller scale."
            )
        yield np.asarray(frame)
    if first is None:
        raise EnvwrightError("There are no frames to make a film of; give at least one.")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A new file beside `path` that takes its place in the end, or goes away if something fails."""
    with writing(path):
        if not path.parent.is_dir():
            raise EnvwrightError(f"The folder '{path.parent}' does not exist; make it first, or choose another.")
        if path.is_dir():
            raise EnvwrightError(f"'{path}' is a folder; choose another name for the film.")
    part = path.parent.absolute() / f".film-{secrets.token_hex(4)}.part"
    try:
        with writing(path):
            part.open("xb").close()  # a folder that takes no files is found before the first frame is made
        yield part
        with writing(path):
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Around each touch of the disk, and not around the making of frames, whose errors are the caller's."""
    try:
        yield
    except OSError as error:
        why = error.strerror or error
        raise EnvwrightError(
            f"'{path}' cannot be written: {why}; free some space, or choose another folder."
        ) from error


class Mp4:
    """H.264 in the form that everything plays."""

    def __init__(self, path: Path, fps: float) -> None:
        try:
            import av.error
        except ImportError:
            raise missing_extra("av", "viz") from None
        self.av = av
        self.rate = Fraction(fps).limit_denominator(1001)
        # The index goes to the front, so that a page can play the film while it loads.
        self.container = av.open(str(path), "w", format="mp4", options={"movflags": "+faststart"})
        self.stream: Any = None
        self.count = 0

    def add(self, frame: Pixels) -> None:
        height, width = (size + size % 2 for size in frame.shape[:2])  # two by two pixels share their colour
        if self.stream is None:
            self.stream = self.container.add_stream("libx264", rate=self.rate, options={"crf": "18"})
            self.stream.width, self.stream.height, self.stream.pix_fmt = width, height, "yuv420p"
            # Players guess the colours of a film that does not name its standard, by its size. 1 is BT.709.
            codec = self.stream.codec_context
            codec.colorspace = codec.color_primaries = codec.color_trc = codec.color_range = 1
        even = np.pad(frame, ((0, height - frame.shape[0]), (0, width - frame.shape[1]), (0, 0)), mode="edge")
        picture = self.av.VideoFrame.from_ndarray(even, format="rgb24")
        picture = picture.reformat(format="yuv420p", dst_colorspace="ITU709")
        picture.pts = self.count
        self.count += 1
        self.container.mux(self.stream.encode(picture))

    def finish(self) -> None:
        self.container.mux(self.stream.encode())  # what the encoder still held
        self.container.close()

    def close(self) -> None:
        with suppress(self.av.error.FFmpegError):  # a second error would hide the first
            self.container.close()


class Gif:
    """One palette for the whole film. It comes first in the file, so the frames wait for it, compressed."""

    def __init__(self, path: Path, fps: float) -> None:
        try:
            from PIL import Image
        except ImportError:
            raise missing_extra("pillow", "viz") from None
        self.pil = Image
        self.path, self.fps = path, fps
        self.count = 0
        self.shape: tuple[int, ...] = ()
        self.frames: list[bytes] = []
        self.starts: list[int] = []  # hundredths of a second: nearest to the true time, so that errors do not add up
        self.colours = np.zeros(0, np.uint32)  # sorted; complete until there are too many

    def add(self, frame: Pixels) -> None:
        start = round(100 * self.count / self.fps)
        self.count += 1
        self.shape = frame.shape
        if self.starts and start - self.starts[-1] < GIF_SHORTEST:
            return
        data = zlib.compress(frame.tobytes(), level=1)
        if self.frames and data == self.frames[-1]:
            return  # the last one just stays longer
        self.starts.append(start)
        self.frames.append(data)
        if self.exact:
            self.colours = np.union1d(self.colours, codes(frame))

    def finish(self) -> None:
        end = max(round(100 * self.count / self.fps), self.starts[-1] + GIF_SHORTEST)
        durations = np.minimum(np.diff([*self.starts, end]), GIF_LONGEST)
        colours = self.colours if self.exact else self.best_colours()
        unused = next(code for code in range(256) if code not in colours)  # stands for "as before"
        palette = rgb(np.append(colours, np.uint32(unused)))
        images = (self.image(self.indices(self.pixels(data), colours), palette) for data in self.frames)
        file = io.BytesIO()  # Pillow does not say why it cannot write to a disk
        next(images).save(
            file,
            format="GIF",
            save_all=True,
            append_images=images,
            duration=(10 * durations).tolist(),
            loop=0,
            palette=palette,
            transparency=len(colours),
            optimize=True,
        )
        self.path.write_bytes(file.getbuffer())

    def close(self) -> None:
        self.frames.clear()

    @property
    def exact(self) -> bool:
        """Whether the palette has room for every colour so far."""
        return len(self.colours) <= GIF_COLOURS

    def pixels(self, data: bytes) -> Pixels:
        return np.frombuffer(zlib.decompress(data), np.uint8).reshape(self.shape)

    def best_colours(self) -> NDArray[np.uint32]:
        """Colours chosen from frames all through the film; one palette for all of them does not flicker."""
        chosen = np.linspace(0, len(self.frames) - 1, GIF_SAMPLES).astype(int)
        sample = np.concatenate([self.pixels(self.frames[i]) for i in sorted(set(chosen.tolist()))])
        few = self.pil.fromarray(sample).quantize(GIF_COLOURS).convert("RGB")
        return np.unique(codes(np.asarray(few)))

    def indices(self, frame: Pixels, colours: NDArray[np.uint32]) -> NDArray[Any]:
        """Which of the colours each pixel has, or comes close to."""
        if self.exact:
            return np.searchsorted(colours, codes(frame))
        palette = self.image(np.zeros((1, 1)), rgb(colours))
        # Without dithering: its noise would move from frame to frame and is dear to compress.
        return np.asarray(self.pil.fromarray(frame).quantize(palette=palette, dither=self.pil.Dither.NONE))

    def image(self, indices: NDArray[Any], palette: bytes) -> Any:
        image = self.pil.fromarray(indices.astype(np.uint8))
        image.putpalette(palette)
        return image


def codes(frame: Pixels) -> NDArray[np.uint32]:
    """Each pixel as one number, 0xRRGGBB."""
    red, green, blue = np.moveaxis(frame.astype(np.uint32), -1, 0)
    return red << 16 | green << 8 | blue


def rgb(codes: NDArray[np.uint32]) -> bytes:
    """The numbers as red, green, blue, red, ..."""
    return codes.astype(">u4").view(np.uint8).reshape(-1, 4)[:, 1:].tobytes()
