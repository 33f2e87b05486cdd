"""Files cut short or with a bit turned over, in every kind of file a store has; records of a newer version."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np

from faults.tally import Study, Tally, chance, place
from faults.ticking import Tick, trace
from recombine.core.seeds import stream
from recombine.records import Record, Store

Harm = Callable[[bytes, random.Random], bytes]


def cut_short(content: bytes, chances: random.Random) -> bytes:
    """Something is missing at the end, and not only the end of the last line, which is free in a sealed document."""
    return content[: chances.randrange(len(content.rstrip()))]


def bit_turned(content: bytes, chances: random.Random) -> bytes:
    place = chances.randrange(len(content))
    return content[:place] + bytes([content[place] ^ (1 << chances.randrange(8))]) + content[place + 1 :]


# Kinds of files by what stands in the store, beside the index, which is made anew and so cannot be damaged for long.
KINDS = {
    "record": "runs/*/record.json",
    "arrays": "runs/*/arrays.npz",
    "weights": "runs/*/weights.safetensors",
    "forecast": "forecasts/*.json",
    "failure note": "failures/*.json",
}
HARMS: dict[str, Harm] = {"cut short": cut_short, "a bit turned": bit_turned}


def filled(root: Path, count: int = 3) -> Store:
    store = Store(root)
    for seed in range(count):
        digest, draws = Tick(seed=seed).digest(), stream(seed, "fault")
        arrays, weights = ({"a": draws.normal(size=(7, 9 + seed))} for _ in range(2))
        store.commit_forecast(digest, {"expected": seed / 7})
        body = {"specification": {"kind": "tick", "seed": seed}, "measures": {"value": seed / 3}, "status": "done"}
        store.commit(Record(digest, body, arrays, weights))
        store.commit_failure(digest, {"reason": "for the test"})
    return store


def damaged(times: int, seed: int) -> list[Tally]:
    """A row for each kind of file: what is harmed must be told by name, and all else still be read."""
    rows = []
    for kind, pattern in KINDS.items():
        tally, chances = Tally(f"{kind} damaged", detected=0), chance(seed, kind)
        with place() as root:
            store = filled(root)
            assert store.verify() == []
            for turn in range(times):
                name, harm = list(HARMS.items())[turn % 2]
                path = chances.choice(sorted(root.glob(pattern)))
                whole = path.read_bytes()
                path.write_bytes(harm(whole, chances))
                found = store.verify()
                tally.injected += 1
                told = len(found) == 1 and found[0].file == path.name and path.parent.name in str(found[0])
                tally.detected = (tally.detected or 0) + told
                tally.note = tally.note if told else f"{name}: {[str(each) for each in found]}"
                tally.lost += len(store.digests()) != 3
                path.write_bytes(whole)
            tally.lost += len(store.verify())
        rows.append(tally)
    return rows


def damaged_index(times: int, seed: int) -> Tally:
    """The index is a cache: however it is harmed, the table is that of the folders."""
    tally, chances = Tally("index damaged"), chance(seed, "index")
    with place() as root:
        store = filled(root)
        right = store.table()
        for turn in range(times):
            path = root / "index.sqlite"
            path.write_bytes(list(HARMS.values())[turn % 2](path.read_bytes(), chances))
            tally.injected += 1
            tally.lost += not Store(root).table().equals(right)
            Store(root).rebuild_index()
    return tally


def left_drafts(times: int, seed: int) -> Tally:
    """What a killed writer left is read by nobody and swept by the next that looks."""
    tally, chances = Tally("draft left behind"), chance(seed, "draft")
    with place() as root:
        store = filled(root)
        right = store.table()
        for turn in range(times):
            draft = store.drafts.folder / f"aa.{'0' * 8}.{turn}.{'0' * 16}"
            draft.mkdir()
            (draft / "record.json").write_bytes(np.random.default_rng(chances.randrange(9)).bytes(99))
            tally.injected += 1
            tally.lost += not Store(root).table().equals(right) or bool(store.verify())
    return tally


def newer_record(times: int, seed: int) -> Tally:
    """A record of a later version is named, not read, not run again and not overwritten."""
    tally = Tally("record of a newer version", detected=0)
    for turn in range(times):
        with place() as root:
            study = Study(root, 4)
            tally.lost += study.drive("--workers=1").wait() != 0
            path = root / "runs" / sorted(study.digests())[turn % 4] / "record.json"
            newer = json.dumps({**json.loads(path.read_text()), "format": 99})
            path.write_text(newer)
            code = study.drive("--workers=1").wait()
            found = Store(root).verify()
            tally.injected += 1
            tally.detected = (tally.detected or 0) + (len(found) == 1 and "upgrade" in str(found[0]))
            tally.lost += code != 0 or path.read_text() != newer
            tally.duplicated += sum(line.endswith("again") for line in trace(root).read_text().splitlines())
    return tally
