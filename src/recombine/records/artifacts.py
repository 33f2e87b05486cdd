"""The binary files of a record: arrays as npz, weights as safetensors. Nothing here unpickles.

Files are built and parsed in memory, so that the bytes whose hash is checked are the bytes that are read.
"""

import hashlib
import io
import zipfile
import zlib
from pathlib import Path

import numpy as np

from recombine.core.errors import InputError
from recombine.core.packed_arrays import check_packed
from recombine.records.damage import DamagedRecord
from recombine.records.record import Record

ARRAYS = "arrays.npz"
WEIGHTS = "weights.safetensors"


def pack(record: Record) -> dict[str, bytes]:
    """File names and contents of a record's artifacts; equal records give equal bytes."""
    files = {}
    if record.arrays:
        files[ARRAYS] = pack_arrays(record)
    if record.weights:
        files[WEIGHTS] = pack_weights(record)
    return files


def pack_arrays(record: Record) -> bytes:
    # Not np.savez: it takes names as keywords, so an array called "file" could not be saved.
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in sorted(record.arrays.items()):
            if array.dtype.hasobject:
                raise InputError(
                    f"array {name!r} of run {record.digest!r} holds Python objects ({array.dtype}), which would "
                    "need pickle to be read; give an array of numbers, booleans or text."
                )
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
    return buffer.getvalue()


def pack_weights(record: Record) -> bytes:
    from safetensors import SafetensorError
    from safetensors.numpy import save

    # safetensors copies raw memory: a transposed or strided array would be written in the wrong order.
    dense = {
        name: np.asarray(array, dtype=array.dtype.newbyteorder("="), order="C")
        for name, array in sorted(record.weights.items())
    }
    try:
        return save(dense)
    except (SafetensorError, KeyError, ValueError) as error:
        kinds = ", ".join(sorted({str(array.dtype) for array in dense.values()}))
        raise InputError(
            f"the weights of run {record.digest!r} cannot be saved as safetensors (types: {kinds}); "
            "give arrays of booleans, integers or floats."
        ) from error


def load(folder: Path, file: str, digest: str, expected: str) -> dict[str, np.ndarray]:
    """The arrays in one artifact, after checking its hash against the sealed one."""

    def damage(reason: str) -> DamagedRecord:
        return DamagedRecord(digest, file, reason, folder)

    try:
        content = (folder / file).read_bytes()
    except FileNotFoundError as error:
        raise damage("is missing") from error
    except OSError as error:
        raise damage(f"cannot be read ({error.strerror})") from error
    if checksum(content) != expected:
        raise damage("does not match its checksum")
    # The hash is right, so these bytes were sealed as they are; they may still be foreign or hostile.
    from safetensors import SafetensorError

    try:
        return unpack_arrays(content) if file == ARRAYS else unpack_weights(content)
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile, zlib.error, SafetensorError) as error:
        raise damage("is not a file of plain arrays") from error


def unpack_arrays(content: bytes) -> dict[str, np.ndarray]:
    # ZipFile first: np.load would take a bare npy file as well, and give no mapping.
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        check_packed(packed, ARRAYS)
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        found = {name: archive[name] for name in archive.files}
    if not all(isinstance(array, np.ndarray) for array in found.values()):  # bytes of a member that is no npy file
        raise ValueError("a member is no array")
    return found


def unpack_weights(content: bytes) -> dict[str, np.ndarray]:
    from safetensors.numpy import load as parse

    # Copies, because some versions of safetensors give views of memory that may not be written to.
    return {name: array.copy() for name, array in sorted(parse(content).items())}


def checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
