"""A user's data as it lies on disk: inputs, targets, a table of factors and a training mask.

Nothing is unpickled: arrays are read with pickling off, and a field of a file that would need it is passed over.
Inputs stay where they are where that can be (npy is mapped, h5 is read row by row), so that large sets fit.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from recombine.audits.exported import INPUTS, TARGETS, exported_table, is_exported
from recombine.core.errors import InputError

MASK = "train"  # a column of a table, or a field of a file, that says which rows were trained on
TARGET = "target"  # columns that begin with it are numbers or classes to be answered
FILE = "file"  # the column of a table that names the pictures of a folder
PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".npy")

# The factors of public sets in the order of their columns, and how many levels MPI3D has of each.
DSPRITES = ("color", "shape", "scale", "orientation", "posX", "posY")
SHAPES3D = ("floor_hue", "wall_hue", "object_hue", "scale", "shape", "orientation")
MPI3D = ("object_color", "object_shape", "object_size", "camera_height", "background_color", "horizontal_axis",
         "vertical_axis")  # fmt: skip
MPI3D_SIZES = ((6, 6, 2, 3, 3, 40, 40), (4, 4, 2, 3, 3, 40, 40))


class Indexed(Protocol):
    """Rows that are read when they are asked for: an array, a mapped file, pictures of a folder."""

    def __len__(self) -> int: ...

    def __getitem__(self, rows: Any) -> Any: ...


@dataclass(frozen=True)
class UserData:
    """What somebody has: a row of each per example. What is not known is None."""

    factors: Any  # whatever `FactorTable.read` takes
    inputs: Indexed | None = None
    targets: Indexed | None = None
    train_mask: Any = None
    source: str = "arrays"


def read_data(path: str | Path, table: str | Path | None = None) -> UserData:
    """The data of a file or a folder, with a ``table`` of factors beside it (CSV or Parquet) where it has none.

    - ``.npz`` with the fields ``factors`` and, if there, ``inputs``, ``targets``, ``train`` (a mask) and ``names`` (of
      the factors); or in the layout of dSprites (``imgs``, ``latents_values``).
    - ``.h5`` in the layout of 3DShapes (``images``, ``labels``) or of MPI3D (``images``, in the order of its grid).
    - ``.npy``: inputs; a folder: pictures, named by the column ``file`` of the table. Both need the table.
    - A folder that `recombine export` wrote, as it is.
    - ``.csv`` or ``.parquet``: a table alone. Columns that begin with ``target`` are targets, those that begin with
      ``input`` are inputs, ``train`` is the mask, and all others are factors.
    """
    where = Path(path)
    if not where.exists():
        raise InputError(f"{where} does not exist; give a file of data or a folder of pictures.")
    told = None if table is None else read_table(Path(table))
    if where.is_dir():
        return _folder(where, told)
    readers: Mapping[str, Callable[[Path], UserData]] = {
        ".npz": _npz,
        ".npy": lambda each: UserData(None, _npy(each)),
        ".h5": _h5,
        ".hdf5": _h5,
        ".csv": lambda each: _of_table(read_table(each)),
        ".parquet": lambda each: _of_table(read_table(each)),
    }
    if where.suffix not in readers:
        raise InputError(f"{where} ends in {where.suffix!r}; data are read from {', '.join(readers)} and folders.")
    found = replace(readers[where.suffix](where), source=where.name)
    if told is not None:
        own = _of_table(told)
        kept = {"inputs": found.inputs, "targets": found.targets, "train_mask": found.train_mask}
        found = replace(own, source=found.source, **{name: each for name, each in kept.items() if each is not None})
    if found.factors is None:
        raise InputError(f"{where} holds no factors; give a table of them (CSV or Parquet), a row per example.")
    return found


def read_table(path: Path) -> Any:
    """A data frame from CSV or Parquet."""
    import pandas as pd

    if not path.exists():
        raise InputError(f"{path} does not exist; give a table as CSV or Parquet.")
    if path.suffix == ".parquet":
        try:
            return pd.read_parquet(path)
        except ImportError:
            raise InputError(
                f"reading {path} needs pyarrow; install it with `pip install 'recombine[audit]'`."
            ) from None
        except Exception as error:
            raise InputError(f"{path} is no table in Parquet that can be read: {_first_line(error)}.") from None
    if path.suffix != ".csv":
        raise InputError(f"{path} ends in {path.suffix!r}; a table is CSV or Parquet.")
    try:
        return pd.read_csv(path)
    except (ValueError, pd.errors.ParserError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is no CSV that can be read: {_first_line(error)}.") from None


def _of_table(frame: Any) -> UserData:
    names = [str(name) for name in frame.columns]
    targets = [name for name in names if name.startswith(TARGET)]
    inputs = [name for name in names if name.startswith("input")]
    factors = [name for name in names if name not in {*targets, *inputs, MASK, FILE}]
    if not factors:
        raise InputError(
            f"the table has the columns {', '.join(names)} and none is a factor; factors are all columns but {MASK!r}, "
            f"{FILE!r} and those that begin with 'input' or {TARGET!r}."
        )
    return UserData(
        factors=frame[factors],
        inputs=_numbers(frame, inputs) if inputs else None,
        targets=_numbers(frame, targets) if targets else None,
        train_mask=frame[MASK].to_numpy() if MASK in names else None,
        source="table",
    )


def _numbers(frame: Any, names: Sequence[str]) -> np.ndarray:
    found = frame[list(names)].to_numpy()
    if found.dtype == object:
        if len(names) > 1:
            raise InputError(f"the columns {', '.join(names)} hold words; targets of several columns are numbers.")
        return found[:, 0].astype(str)
    return found[:, 0] if len(names) == 1 else found


def _npy(path: Path) -> np.ndarray:
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise InputError(f"{path} is no array that can be read without unpickling: {_first_line(error)}.") from None


def _npz(path: Path) -> UserData:
    import zipfile

    try:
        with np.load(path, allow_pickle=False) as file:
            fields = set(file.files)
            if {"imgs", "latents_values"} <= fields:
                values = file["latents_values"]
                return UserData(dict(zip(DSPRITES, values.T, strict=True)), file["imgs"])
            if "factors" not in fields:
                raise InputError(
                    f"{path} has the fields {', '.join(sorted(fields))}; it needs factors (and may have inputs, "
                    "targets, train and names), or the layout of dSprites."
                )
            got = {name: file[name] for name in ("factors", "names", "inputs", "targets", MASK) if name in fields}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(f"{path} is no npz that can be read without unpickling: {_first_line(error)}.") from None
    factors = got["factors"]
    if "names" in got:
        names = [str(name) for name in np.atleast_1d(got["names"])]
        if factors.ndim != 2 or len(names) != factors.shape[1] or len(set(names)) != len(names):
            raise InputError(f"{path} has {len(names)} names for factors of shape {factors.shape}; give each one name.")
        factors = {name: factors[:, place] for place, name in enumerate(names)}
    return UserData(factors, got.get("inputs"), got.get("targets"), got.get(MASK))


class Rows:
    """Rows of a dataset in an h5 file, read when they are asked for."""

    def __init__(self, path: Path, name: str) -> None:
        self.path, self.name = path, name
        with _opened(path) as file:
            self.shape: tuple[int, ...] = tuple(file[name].shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> np.ndarray:
        with _opened(self.path) as file:
            if isinstance(rows, slice):
                return file[self.name][rows]
            wanted = np.arange(len(self))[rows]
            order = np.unique(wanted)  # h5 takes rows in order, each once
            return file[self.name][order][np.searchsorted(order, wanted)]


def _opened(path: Path) -> Any:
    try:
        import h5py
    except ImportError:
        raise InputError(f"reading {path} needs h5py; install it with `pip install 'recombine[audit]'`.") from None
    try:
        return h5py.File(path, "r")
    except OSError as error:
        raise InputError(f"{path} is no h5 file that can be read: {_first_line(error)}.") from None


def _h5(path: Path) -> UserData:
    with _opened(path) as file:
        fields = {name: tuple(each.shape) for name, each in file.items() if hasattr(each, "shape")}
        if "images" not in fields:
            raise InputError(f"{path} has the fields {', '.join(sorted(fields)) or 'none'}; it needs images.")
        count = fields["images"][0]
        if "labels" in fields:
            labels = file["labels"][:]
            if labels.ndim != 2 or len(labels) != count:
                raise InputError(f"{path} has labels of shape {labels.shape} for {count} images; give a row for each.")
            known = SHAPES3D if labels.shape[1] == len(SHAPES3D) else None
            names = known or [f"factor {place + 1}" for place in range(labels.shape[1])]
            return UserData({name: labels[:, place] for place, name in enumerate(names)}, Rows(path, "images"))
        sizes = tuple(int(size) for size in file.attrs["sizes"]) if "sizes" in file.attrs else None
    sizes = sizes or next((each for each in MPI3D_SIZES if math.prod(each) == count), None)
    if sizes is None or len(sizes) != len(MPI3D) or math.prod(sizes) != count:
        raise InputError(
            f"{path} has {count} images and no labels, and is no MPI3D, whose grids have "
            f"{' or '.join(str(math.prod(each)) for each in MPI3D_SIZES)}; add labels, or the attribute sizes."
        )
    levels = np.indices(sizes).reshape(len(sizes), -1)
    return UserData(dict(zip(MPI3D, levels, strict=True)), Rows(path, "images"))


class Pictures:
    """Pictures of a folder by name, opened when they are asked for, as numbers from 0 to 1."""

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self.folder, self.names = folder, list(names)

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, rows: Any) -> np.ndarray:
        chosen = np.arange(len(self))[rows]
        pictures = [self._open(self.names[row]) for row in np.atleast_1d(chosen)]
        shapes = {picture.shape for picture in pictures}
        if len(shapes) > 1:
            raise InputError(f"{self.folder} has pictures of different shapes: {sorted(shapes)}; make them alike.")
        return np.stack(pictures) if np.ndim(chosen) else pictures[0]

    def _open(self, name: str) -> np.ndarray:
        path = self.folder / name
        if path.suffix == ".npy":
            return _npy(path)
        from PIL import Image, UnidentifiedImageError

        try:
            with Image.open(path) as picture:
                return np.asarray(picture, dtype=np.float32) / 255
        except (OSError, UnidentifiedImageError) as error:
            raise InputError(f"{path} is no picture that can be read: {_first_line(error)}.") from None


def _folder(folder: Path, table: Any) -> UserData:
    if table is None and is_exported(folder):
        factors, trained = exported_table(folder)
        return UserData(factors, _npy(folder / INPUTS), _npy(folder / TARGETS), trained, folder.name)
    if table is None:
        raise InputError(f"{folder} is a folder of pictures; give the table of their factors, with a column {FILE!r}.")
    if FILE not in table.columns:
        raise InputError(f"the table has no column {FILE!r} that names a picture of {folder} in each row.")
    names = [str(name) for name in table[FILE]]
    outside = [name for name in names if not _inside(folder, name)]
    if outside:
        raise InputError(f"the table names {outside[0]!r}, which is not in {folder}; name pictures of the folder.")
    lacking = [name for name in names if not (folder / name).is_file()]
    if lacking:
        raise InputError(f"{folder} lacks {len(lacking)} of the pictures of the table, first {lacking[0]!r}.")
    strange = [name for name in names if Path(name).suffix.lower() not in PICTURES]
    if strange:
        raise InputError(f"{strange[0]!r} is no picture that is read; they end in {', '.join(PICTURES)}.")
    return replace(_of_table(table), inputs=Pictures(folder, names), source=folder.name)


def _inside(folder: Path, name: str) -> bool:
    return (folder / name).resolve().is_relative_to(folder.resolve())


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
