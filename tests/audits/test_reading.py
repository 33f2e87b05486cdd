"""Files in every layout that is read, small ones written here, and what is refused."""

import numpy as np
import pandas as pd
import pytest

from recombine.audits import FactorTable
from recombine.audits.factor_table import ReadTable
from recombine.audits.fields import DSPRITES, MPI3D, SHAPES3D
from recombine.audits.reading import read_data
from recombine.core.errors import InputError

RNG = np.random.default_rng(0)
PICTURES = RNG.integers(0, 255, size=(6, 4, 5), dtype=np.uint8)
FRAME = pd.DataFrame({"shape": ["disc", "box"] * 3, "hue": [0, 0, 1, 1, 2, 2], "train": [1, 1, 1, 1, 0, 0]})


def test_npz_of_ones_own(tmp_path):
    factors = np.column_stack([FRAME["hue"], np.arange(6) % 3])
    np.savez(
        tmp_path / "a.npz", inputs=PICTURES, targets=np.arange(6.0), factors=factors, names=["hue", "place"],
        train=FRAME["train"],
    )  # fmt: skip
    found = read_data(tmp_path / "a.npz")
    assert FactorTable.read(found.factors).names == ("hue", "place")
    np.testing.assert_array_equal(found.inputs[:], PICTURES)
    np.testing.assert_array_equal(found.targets, np.arange(6.0))
    np.testing.assert_array_equal(found.train_mask, FRAME["train"])


def test_dsprites_with_its_pickled_field_passed_over(tmp_path):
    values = RNG.integers(0, 3, size=(6, 6)).astype(float)
    metadata = np.array({"title": "pickled"}, dtype=object)
    np.savez(tmp_path / "dsprites.npz", imgs=PICTURES, latents_values=values, latents_classes=values, metadata=metadata)
    found = read_data(tmp_path / "dsprites.npz")
    assert tuple(found.factors) == DSPRITES
    np.testing.assert_array_equal(found.factors["posY"], values[:, 5])
    np.testing.assert_array_equal(found.inputs, PICTURES)


def test_shapes3d(tmp_path):
    h5py = pytest.importorskip("h5py")
    labels = RNG.random((6, 6))
    with h5py.File(tmp_path / "3dshapes.h5", "w") as file:
        file["images"], file["labels"] = np.stack([PICTURES] * 3, axis=-1), labels
    found = read_data(tmp_path / "3dshapes.h5")
    assert tuple(found.factors) == SHAPES3D
    assert len(found.inputs) == 6
    np.testing.assert_array_equal(found.inputs[[4, 1, 4]][..., 0], PICTURES[[4, 1, 4]])
    np.testing.assert_array_equal(found.inputs[2:4][..., 2], PICTURES[2:4])


def test_mpi3d_in_the_order_of_its_grid(tmp_path):
    h5py = pytest.importorskip("h5py")
    sizes = (2, 1, 1, 3, 1, 2, 2)
    with h5py.File(tmp_path / "mpi3d.h5", "w") as file:
        file["images"] = np.arange(24, dtype=np.uint8).reshape(24, 1, 1, 1)
        file.attrs["sizes"] = sizes
    found = read_data(tmp_path / "mpi3d.h5")
    assert tuple(found.factors) == MPI3D
    assert found.factors["vertical_axis"][:4].tolist() == [0, 1, 0, 1]
    assert found.factors["object_color"].tolist() == [0] * 12 + [1] * 12


def test_mpi3d_as_npz(tmp_path):
    np.savez(tmp_path / "mpi3d.npz", images=np.arange(24, dtype=np.uint8), sizes=(2, 1, 1, 3, 1, 2, 2))
    found = read_data(tmp_path / "mpi3d.npz")
    assert tuple(found.factors) == MPI3D
    assert found.factors["camera_height"].tolist() == [0] * 4 + [1] * 4 + [2] * 4 + [0] * 4 + [1] * 4 + [2] * 4
    np.testing.assert_array_equal(found.inputs, np.arange(24))


@pytest.mark.parametrize("levels", [6, 4])
def test_mpi3d_as_published_needs_no_sizes(tmp_path, levels):
    count = levels * levels * 2 * 3 * 3 * 40 * 40  # 1,036,800, or 460,800 of the complex objects
    np.savez(tmp_path / "mpi3d.npz", images=np.zeros((count, 1), dtype=np.uint8))
    found = read_data(tmp_path / "mpi3d.npz")
    assert found.refused == ()
    assert {name: int(column.max()) + 1 for name, column in found.factors.items()} == dict(
        zip(MPI3D, (levels, levels, 2, 3, 3, 40, 40), strict=True)
    )
    assert found.factors["horizontal_axis"][:41].tolist() == [0] * 40 + [1]


def test_cells_without_a_target_are_no_targets(tmp_path):
    write(tmp_path / "words.csv", "hue,target\n1,a\n2,\n1,b\n")
    assert read_data(tmp_path / "words.csv").targets.tolist() == ["a", "", "b"]
    write(tmp_path / "numbers.csv", "hue,target\n1,0.5\n2,\n1,2\n")
    np.testing.assert_array_equal(read_data(tmp_path / "numbers.csv").targets, [0.5, np.nan, 2])


def test_a_table_may_hold_the_mask_alone_where_the_file_has_factors(tmp_path):
    values = RNG.integers(0, 3, size=(6, 6)).astype(float)
    np.savez(tmp_path / "dsprites.npz", imgs=PICTURES, latents_values=values, train=np.ones(6))
    FRAME[["train"]].to_csv(tmp_path / "mask.csv", index=False)
    found = read_data(tmp_path / "dsprites.npz", tmp_path / "mask.csv")
    assert tuple(found.factors) == DSPRITES
    np.testing.assert_array_equal(found.train_mask, FRAME["train"])  # the table is asked first


def test_a_table_gives_an_npz_its_factors(tmp_path):
    np.savez(tmp_path / "inputs.npz", inputs=PICTURES)
    FRAME.to_csv(tmp_path / "table.csv", index=False)
    found = read_data(tmp_path / "inputs.npz", tmp_path / "table.csv")
    assert list(found.factors.columns) == ["shape", "hue"]
    np.testing.assert_array_equal(found.inputs, PICTURES)


def test_black_and_white_of_dsprites_is_0_and_1(tmp_path):
    from recombine.audits.watching import as_floats

    np.savez(tmp_path / "dsprites.npz", imgs=PICTURES % 2, latents_values=RNG.random((6, 6)))
    np.testing.assert_array_equal(as_floats(read_data(tmp_path / "dsprites.npz").inputs), PICTURES % 2)


def test_words_in_h5_are_words(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "own.h5", "w") as file:
        file["inputs"], file["factors"] = PICTURES, np.column_stack([FRAME["hue"], np.arange(6) % 2])
        file["names"], file["targets"] = ["hue", "place"], ["a", "b"] * 3
    found = read_data(tmp_path / "own.h5")
    assert tuple(found.factors) == ("hue", "place")
    assert found.targets.tolist() == ["a", "b"] * 3


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_table_alone_and_beside_an_array(tmp_path, kind):
    frame = FRAME.assign(target=np.arange(6) / 2, input_1=np.arange(6), input_2=np.arange(6) ** 2)
    path = tmp_path / f"table.{kind}"
    frame.to_csv(path, index=False) if kind == "csv" else frame.to_parquet(path)
    found = read_data(path)
    assert list(found.factors.columns) == ["shape", "hue"]
    assert found.inputs.shape == (6, 2)
    np.testing.assert_array_equal(found.targets, np.arange(6) / 2)
    np.save(tmp_path / "pictures.npy", PICTURES)
    beside = read_data(tmp_path / "pictures.npy", path)
    np.testing.assert_array_equal(beside.inputs, PICTURES)
    np.testing.assert_array_equal(beside.train_mask, FRAME["train"])


def test_a_column_of_words_and_numbers_is_told_but_none_may_stand_beside_numbers(tmp_path):
    path = write(tmp_path / "t.csv", "x,y,z\n1,1,a\n2,none,b\nfoo,1,a\n1,2,b\n")
    read = ReadTable.of(read_data(path).factors)
    assert [column.levels for column in read.table.columns] == [("1", "2", "none"), ("a", "b")]
    assert read.refused == ("factor 'x' has words and numbers, and levels are of one sort; it is left out.",)


def test_a_name_of_ours_in_another_case_is_told_and_is_no_factor(tmp_path):
    FRAME.rename(columns={"train": "Train"}).to_csv(tmp_path / "t.csv", index=False)
    found = read_data(tmp_path / "t.csv")
    assert list(found.factors.columns) == ["shape", "hue"]
    assert "column 'Train' of the table is left out; call it 'train' if" in found.refused[0]
    np.save(tmp_path / "inputs.npy", PICTURES)
    assert read_data(tmp_path / "inputs.npy", tmp_path / "t.csv").refused == found.refused


def test_a_folder_of_pictures(tmp_path):
    from PIL import Image

    folder = tmp_path / "pictures"
    folder.mkdir()
    for place, picture in enumerate(PICTURES):
        Image.fromarray(picture).save(folder / f"{place}.png")
    FRAME.assign(file=[f"{place}.png" for place in range(6)]).to_csv(tmp_path / "table.csv", index=False)
    found = read_data(folder, tmp_path / "table.csv")
    np.testing.assert_allclose(found.inputs[1:3], PICTURES[1:3] / 255, atol=1e-6)
    np.testing.assert_allclose(found.inputs[5], PICTURES[5] / 255, atol=1e-6)
    assert list(found.factors.columns) == ["shape", "hue"]


def write(path, text="shape,hue\na,1\nb,2\n"):
    path.write_text(text)
    return path


def test_what_cannot_be_read_is_refused_in_one_sentence(tmp_path):
    pickled = tmp_path / "pickled.npy"
    np.save(pickled, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    np.savez(tmp_path / "pickled.npz", factors=np.array([{"a": 1}], dtype=object))
    np.savez(tmp_path / "images.npz", images=PICTURES)
    np.savez(tmp_path / "sizes.npz", images=PICTURES, sizes=(2, 1, 1, 1, 1, 1, 1))
    np.savez(tmp_path / "other.npz", pictures=PICTURES)
    np.save(tmp_path / "inputs.npy", PICTURES)
    (tmp_path / "pictures").mkdir()
    write(tmp_path / "pictures" / "0.png", "no picture")
    empty = tmp_path / "empty"
    empty.mkdir()
    table, files = write(tmp_path / "t.csv"), write(tmp_path / "f.csv", "file,hue\n0.png,1\n0.png,2\n")
    away = write(tmp_path / "away.csv", "file,hue\n../t.csv,1\n../t.csv,2\n")
    gone = write(tmp_path / "gone.csv", "file,hue\n7.png,1\n7.png,2\n")
    bare = write(tmp_path / "bare.csv", "train,target\n1,2\n")
    cases = [
        (tmp_path / "nothing.npz", None, "does not exist"),
        (tmp_path / "pickled.npz", None, "field 'factors' of .* holds Python objects"),
        (tmp_path / "sizes.npz", None, "6 images and the sizes"),
        (write(tmp_path / "a.txt"), None, "ends in '.txt'"),
        (write(tmp_path / "a.h5"), None, "no h5 file .*; write it anew."),
        (write(tmp_path / "a.npz"), None, "no npz"),
        (write(tmp_path / "a.parquet"), None, "no table in Parquet .*; write it anew, or give a CSV."),
        (write(tmp_path / "empty.csv", ""), None, "no CSV .*; write a line of names"),
        (write(tmp_path / "twice.csv", "x,x\n1,2\n"), None, "twice.csv has the column 'x' more than once"),
        (empty, None, "is an empty folder"),
        (bare, None, "all columns but"),
        (tmp_path / "pictures", None, "give the table"),
    ]
    for path, beside, words in cases:
        with pytest.raises(InputError, match=words):
            read_data(path, beside)
    for path, beside, words in (
        (pickled, table, "pickled.npy holds Python objects, which are not unpickled"),
        (write(tmp_path / "junk.npy"), table, "is no npy file; write an array there"),
        (tmp_path / "other.npz", table, "has the fields pictures; it needs factors or inputs"),
        (tmp_path / "pictures", table, "no column 'file'"),
        (tmp_path / "pictures", away, "which is not in"),
        (tmp_path / "pictures", gone, "lacks 2 of the pictures"),
    ):
        found = read_data(path, beside)
        assert len(found.refused) == 1
        assert words in found.refused[0]
        assert found.inputs is None
        assert "hue" in found.factors.columns  # the table is read all the same
    for path, beside, words in (
        (tmp_path / "images.npz", None, "images.npz; give a table"),
        (tmp_path / "images.npz", None, "for pictures in the order of MPI3D a field 'sizes'"),
        (tmp_path / "inputs.npy", None, "no factors in"),
        (tmp_path / "inputs.npy", bare, f"inputs.npy or {bare}"),
    ):
        found = read_data(path, beside)
        assert words in found.refused[0]
        assert len(found.inputs) == 6
    with pytest.raises(InputError, match=r"no picture that can be read .*; mend it, or leave"):
        read_data(tmp_path / "pictures", files).inputs[0]
