"""A user's data as it lies on disk: inputs, targets, a table of factors and a training mask.

Nothing is unpickled: arrays are read with pickling off, and a field of a file that would need it is passed over.
Inputs stay where they are where that can be (npy is mapped, h5 is read row by row), so that large sets fit.
"""

import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.lib.format import MAGIC_PREFIX

from recombine.audits.exported import INPUTS, TARGETS, exported_table, is_exported
from recombine.audits.factor_table import NONE
from recombine.audits.fields import INPUT_FIELDS, MPI3D, SIZES, Fields, factors_in, inputs_in
from recombine.core.errors import InputError
from recombine.core.packed_arrays import check_packed

MASK = "train"  # a column of a table, or a field of a file, that says which rows were trained on
TARGET = "target"  # columns that begin with it are numbers or classes to be answered
INPUT = "input"  # columns that begin with it are inputs
FILE = "file"  # the column of a table that names the pictures of a folder
OWN = (MASK, TARGET, INPUT, FILE)  # names that no factor has, however they are spelt
FIELDED = (".npz", ".h5", ".hdf5")  # files with named fields
MPI3D_ORDER = "pictures in the order of MPI3D"
PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".npy")


class Indexed(Protocol):
    """Rows that are read when they are asked for: an array, a mapped file, pictures of a folder."""

    def __len__(self) -> int: ...

    def __getitem__(self, rows: Any) -> Any: ...


@dataclass(frozen=True)
class UserData:
    """What somebody has: a row of each per example. What is not known is None.

    ``refused`` has a sentence for each thing that could not be read, where the rest could.
    """

    factors: Any  # whatever `FactorTable.read` takes
    inputs: Indexed | None = None
    targets: Indexed | None = None
    train_mask: Any = None
    source: str = "arrays"
    refused: tuple[str, ...] = ()


def read_data(path: str | Path, table: str | Path | None = None) -> UserData:
    """The data of a file or a folder, with a ``table`` beside it (CSV or Parquet) of what it lacks.

    Factors, targets and the mask are those of the table where it has them, else those of the file.

    - ``.npz`` and ``.h5`` with the fields ``factors``, ``names`` (of these), ``inputs``, ``targets`` and ``train`` (a
      mask), or in the layout of dSprites (``imgs``, ``latents_values``), of 3DShapes (``images``, ``labels``) or of
      MPI3D (``images``, in the order of its grid; where there are not as many as published, ``sizes`` has the number of
      levels of each of its seven factors).
    - ``.npy``: inputs; a folder: pictures, named by the column ``file`` of the table. Both need the table.
    - A folder that `recombine export` wrote, as it is.
    - ``.csv`` or ``.parquet``: a table alone. Columns that begin with ``target`` are targets, those that begin with
      ``input`` are inputs, ``train`` is the mask, and all others are factors.
    """
    where = Path(path)
    if not where.exists():
        raise InputError(f"{where} does not exist; give a file of data or a folder of pictures.")
    told = None if table is None else read_table(Path(table))
    own = None if told is None else _of_table(told)
    try:
        found = _folder(where, told) if where.is_dir() else _file(where)
    except InputError as error:
        if own is None or own.factors is None:
            raise
        found = UserData(None, refused=(str(error),))
    found = replace(found, source=where.name)
    if own is not None:
        found = UserData(
            factors=found.factors if own.factors is None else own.factors,
            inputs=own.inputs if found.inputs is None else found.inputs,
            targets=found.targets if own.targets is None else own.targets,
            train_mask=found.train_mask if own.train_mask is None else own.train_mask,
            source=found.source,
            refused=(*own.refused, *found.refused),
        )
    if found.factors is not None:
        return found
    lacking = (
        f"there are no factors in {where if table is None else f'{where} or {table}'}; give a table with a column for "
        f"each (all columns but {MASK!r}, {FILE!r} and those that begin with {INPUT!r} or {TARGET!r})"
    )
    if where.suffix in FIELDED:
        lacking += (
            f", or for {MPI3D_ORDER} a field {SIZES!r} with the number of levels of each of its {len(MPI3D)} factors"
        )
    if found.inputs is None:
        raise InputError(f"{lacking}.")
    return replace(found, refused=(*found.refused, f"{lacking}."))


def _file(path: Path) -> UserData:
    readers: Mapping[str, Callable[[Path], UserData]] = {
        ".npz": _npz,
        ".npy": lambda each: UserData(None, _npy(each)),
        ".h5": _h5,
        ".hdf5": _h5,
        ".csv": lambda each: _of_table(read_table(each)),
        ".parquet": lambda each: _of_table(read_table(each)),
    }
    if path.suffix not in readers:
        raise InputError(f"{path} ends in {path.suffix!r}; data are read from {', '.join(readers)} and folders.")
    return readers[path.suffix](path)


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
            raise InputError(
                f"{path} is no table in Parquet that can be read ({_first_line(error)}); write it anew, or give a CSV."
            ) from None
    if path.suffix != ".csv":
        raise InputError(f"{path} ends in {path.suffix!r}; a table is CSV or Parquet.")
    try:
        header = pd.read_csv(path, header=None, nrows=1, dtype=str).iloc[0].dropna()
        frame = pd.read_csv(path)
    except (ValueError, pd.errors.ParserError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path} is no CSV that can be read ({_first_line(error)}); write a line of names and one for each example."
        ) from None
    if header.duplicated().any():
        twice = header[header.duplicated()].iloc[0]
        raise InputError(f"{path} has the column {twice!r} more than once; give each a name of its own.")
    return _mixed(frame)


def _of_table(frame: Any) -> UserData:
    names = [str(name) for name in frame.columns]
    targets = [name for name in names if name.startswith(TARGET)]
    inputs = [name for name in names if name.startswith(INPUT)]
    factors = _factor_names(frame)
    meant = [name for name in factors if name.lower() in OWN and name.lower() not in names]
    factors = [name for name in factors if name not in meant]
    return UserData(
        factors=frame[factors] if factors else None,
        inputs=_numbers(frame, inputs) if inputs else None,
        targets=_numbers(frame, targets) if targets else None,
        train_mask=frame[MASK].to_numpy() if MASK in names else None,
        source="table",
        refused=tuple(
            f"column {name!r} of the table is left out; call it {name.lower()!r} if that is what it is, else give it "
            "another name."
            for name in meant
        ),
    )


def _factor_names(frame: Any) -> list[str]:
    return [name for name in frame.columns if name not in (MASK, FILE) and not name.startswith((TARGET, INPUT))]


def _mixed(frame: Any) -> Any:
    """A table of a CSV, in which numbers of a factor are words if a word is among them, with these as numbers again.

    The level `NONE` may stand beside numbers, which are then words too.
    """
    import pandas as pd

    for name in _factor_names(frame):
        if not pd.api.types.is_numeric_dtype(frame[name]):
            cells, numbers = frame[name].astype(object), pd.to_numeric(frame[name], errors="coerce")
            if set(cells[numbers.isna() & cells.notna()]) - {NONE}:
                frame[name] = cells.where(numbers.isna(), numbers.astype(object))
    return frame


def _numbers(frame: Any, names: Sequence[str]) -> np.ndarray:
    """Columns of numbers, not a number where a cell is empty, or one of words, empty where a cell is."""
    found = frame[list(names)].to_numpy()
    if found.dtype == object:
        if len(names) > 1:
            raise InputError(f"the columns {', '.join(names)} hold words; targets of several columns are numbers.")
        return np.where(frame[names[0]].isna().to_numpy(), "", found[:, 0].astype(str))
    return found[:, 0] if len(names) == 1 else found


def _npy(path: Path) -> np.ndarray:
    with path.open("rb") as file:
        if file.read(len(MAGIC_PREFIX)) != MAGIC_PREFIX:
            raise InputError(f"{path} is no npy file; write an array there with np.save.")
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise _not_read(path, error) from None


def _not_read(what: Path | str, error: BaseException) -> InputError:
    """The error for an array that is broken, or made of Python objects."""
    if "python objects" in str(error).lower() or "object arrays" in str(error).lower():
        return InputError(f"{what} holds Python objects, which are not unpickled; save numbers or words instead.")
    return InputError(f"{what} cannot be read ({_first_line(error)}); write it anew.")


def _npz(path: Path) -> UserData:
    if not zipfile.is_zipfile(path):
        raise InputError(f"{path} is no npz file; write arrays there with np.savez.")
    try:
        with zipfile.ZipFile(path) as archive:
            check_packed(archive, str(path))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error, OSError, EOFError) as error:
        raise _not_read(path, error) from None
    with np.load(path, allow_pickle=False) as file:

        def read(name: str) -> np.ndarray:
            try:
                found = file[name]
            except (ValueError, OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
                raise _not_read(f"field {name!r} of {path}", error) from None
            if not isinstance(found, np.ndarray):  # the bytes of a member that is no npy file
                raise InputError(f"field {name!r} of {path} is no array; write arrays there with np.savez.")
            return found

        return _of_fields(path, {name: partial(read, name) for name in file.files})


def _of_fields(path: Path, fields: Fields) -> UserData:
    """The data of a file with named fields, of which only those that are known by name are read."""
    inputs = inputs_in(fields)
    factors = factors_in(path, fields, len(inputs) if inputs is not None and inputs.shape else 0)
    if inputs is None and factors is None:
        raise InputError(
            f"{path} has the fields {', '.join(sorted(fields)) or 'none'}; it needs factors or inputs (and may have "
            "targets, train and names), or the layout of dSprites, 3DShapes or MPI3D."
        )
    targets, mask = (fields[name]() if name in fields else None for name in ("targets", MASK))
    return UserData(factors, inputs, targets, mask)


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
        raise InputError(f"{path} is no h5 file that can be read ({_first_line(error)}); write it anew.") from None


def _h5(path: Path) -> UserData:
    with _opened(path) as file:
        arrays = {name: each for name, each in file.items() if hasattr(each, "shape")}
        fields: dict[str, Callable[[], Any]] = {name: partial(_whole, each) for name, each in arrays.items()}
        fields |= {name: partial(Rows, path, name) for name in INPUT_FIELDS if name in arrays}
        if SIZES in file.attrs:
            fields[SIZES] = partial(np.asarray, file.attrs[SIZES])
        return _of_fields(path, fields)


def _whole(dataset: Any) -> np.ndarray:
    """A dataset of an h5 file as an array; h5 keeps words as bytes."""
    return dataset.asstr()[:].astype(str) if dataset.dtype.kind in "OS" else dataset[:]


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
            raise InputError(
                f"{path} is no picture that can be read ({_first_line(error)}); mend it, or leave its row out."
            ) from None


def _folder(folder: Path, table: Any) -> UserData:
    if is_exported(folder) and (table is None or FILE not in table.columns):
        factors, trained = exported_table(folder)
        return UserData(factors, _npy(folder / INPUTS), _npy(folder / TARGETS), trained)
    if not any(folder.iterdir()):
        raise InputError(f"{folder} is an empty folder; give a file of data or a folder of pictures.")
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
        raise InputError(
            f"{folder} lacks {len(lacking)} of the pictures of the table, first {lacking[0]!r}; add them, or leave "
            "their rows out."
        )
    strange = [name for name in names if Path(name).suffix.lower() not in PICTURES]
    if strange:
        raise InputError(f"{strange[0]!r} is no picture that is read; they end in {', '.join(PICTURES)}.")
    return UserData(None, Pictures(folder, names))


def _inside(folder: Path, name: str) -> bool:
    return (folder / name).resolve().is_relative_to(folder.resolve())


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
