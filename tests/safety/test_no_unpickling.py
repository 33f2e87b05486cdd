"""No source file can unpickle, run text as code, or read YAML by a loader that makes objects: read off its syntax."""

import ast
from pathlib import Path

import pytest

import recombine

SOURCES = sorted(Path(recombine.__file__).parent.rglob("*.py"))
MODULES = {"pickle", "cPickle", "_pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve", "jsonpickle"}
NAMES = {"eval", "exec", "compile", "__import__"}  # as bare names; `network.eval()` is another thing
CALLS = {
    "read_pickle",
    "to_pickle",
    "unsafe_load",
    "full_load",
    "unsafe_load_all",
    "full_load_all",
    "load_all",
    "extractall",
    "unpack_archive",
}
LOADERS = {"Loader", "UnsafeLoader", "FullLoader", "CLoader", "CUnsafeLoader", "CFullLoader"}


def faults(text: str) -> list[str]:
    """What a source text has that could run what it reads."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [each.name for each in node.names if each.name.split(".")[0] in MODULES]
        elif isinstance(node, ast.ImportFrom):
            words = {(node.module or "").split(".")[0], *(each.name for each in node.names)}
            found += sorted(words & (MODULES | CALLS | LOADERS))
        elif isinstance(node, ast.Attribute) and node.attr in MODULES | LOADERS:
            found.append(node.attr)
        elif isinstance(node, ast.Call):
            found += fault_of_call(node)
    return found


def fault_of_call(node: ast.Call) -> list[str]:
    if isinstance(node.func, ast.Name):
        return [node.func.id] if node.func.id in NAMES | CALLS else []
    if not isinstance(node.func, ast.Attribute):
        return []
    of, name = ast.unparse(node.func.value), node.func.attr
    given = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
    if name in CALLS:
        return [name]
    if name in ("load", "loads") and of.split(".")[0] in ("torch", "yaml"):
        return [] if given.get("weights_only") == "True" else [f"{of}.{name}"]
    if name == "load" and of in ("np", "numpy"):
        return [] if given.get("allow_pickle") == "False" else ["np.load"]
    return ["allow_pickle"] if given.get("allow_pickle", "False") != "False" else []


def test_no_source_can_run_what_it_reads():
    assert len(SOURCES) > 100
    found = {str(path): faults(path.read_text(encoding="utf-8")) for path in SOURCES}
    assert {path: words for path, words in found.items() if words} == {}


@pytest.mark.parametrize(
    "text",
    [
        "import pickle",
        "from pickle import loads",
        "import joblib.memory",
        "from torch import serialization, marshal",
        "np.load(path)",
        "np.load(path, allow_pickle=True)",
        "numpy.load(path, allow_pickle=flag)",
        "torch.load(path)",
        "torch.load(path, weights_only=False)",
        "yaml.load(text, Loader=yaml.SafeLoader)",
        "yaml.unsafe_load(text)",
        "yaml.FullLoader(text)",
        "from yaml import UnsafeLoader",
        "pd.read_pickle(path)",
        "eval(text)",
        "exec(text)",
        "torch.jit.load(path)",
        "archive.extractall(folder)",
        "np.lib.format.read_array(file, allow_pickle=True)",
    ],
)
def test_the_check_would_find_it(text):
    assert faults(text)


@pytest.mark.parametrize(
    "text", ["np.load(path, allow_pickle=False)", "network.eval()", "json.loads(text)", "yaml.safe_load(text)"]
)
def test_the_check_lets_pass_what_is_safe(text):
    assert faults(text) == []
