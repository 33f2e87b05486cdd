"""The committed bundles are what `make web` builds from the committed sources; checked without Node."""

import hashlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WEB = ROOT / "web"
PACKAGE = ROOT / "src" / "recombine"
BUNDLE, REPORT = PACKAGE / "explorer" / "bundle", PACKAGE / "reports" / "bundle"
LISTED = ("digest.ts", "index.html", "package-lock.json", "package.json", "tsconfig.json", "vite.config.ts")
WRITTEN = "sources.sha256"


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def files_under(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def lines(root: Path, files: list[Path]) -> str:
    """Digest and path of each file as sha256sum writes them, sorted by path."""
    named = sorted((path.relative_to(root).as_posix(), path) for path in files)
    return "".join(f"{sha256(path.read_bytes())}  {name}\n" for name, path in named)


@pytest.fixture(params=[BUNDLE, REPORT], ids=["explorer", "report"])
def bundle(request: pytest.FixtureRequest) -> Path:
    return request.param


def test_the_bundle_is_built_from_these_sources(bundle: Path):
    sources = [*(WEB / name for name in LISTED), *files_under(WEB / "src")]
    digest = sha256(lines(WEB, sources).encode())
    first = (bundle / WRITTEN).read_text().splitlines()[0]
    assert first == f"{digest}  sources", "the sources in web/ changed since the bundle was built; run `make web`"


def test_no_file_of_the_bundle_was_changed_by_hand(bundle: Path):
    built = [path for path in files_under(bundle) if path.name != WRITTEN]
    written = (bundle / WRITTEN).read_text().split("\n", 1)[1]
    assert written == lines(bundle, built), "a file of the bundle is not the built one; run `make web`"


def test_the_page_fetches_nothing_from_elsewhere():
    page = (BUNDLE / "index.html").read_text()
    assert re.findall(r'(?:src|href)="([^"]*)"', page) == ["data:,", "./assets/explorer.js", "./assets/explorer.css"]
    assert 'name="recombine-token" content=""' in page  # the server fills it in
    style = (BUNDLE / "assets" / "explorer.css").read_text()
    assert "url(" not in style
    assert "@import" not in style


def test_a_report_can_hold_its_script_and_style():
    assert {path.name for path in files_under(REPORT)} == {"report.js", "report.css", WRITTEN}
    script, style = (REPORT / "report.js").read_text(), (REPORT / "report.css").read_text()
    assert not re.search(r"</script|<!--", script, re.IGNORECASE)  # either would end or hide it
    assert "</style" not in style
    assert not re.search(r"@import|url\(", style)
    assert "Permission is hereby granted" in script  # the licence asks to be kept with copies
    assert len(script.encode()) < 300_000


@pytest.mark.parametrize("path", [*files_under(BUNDLE), *files_under(REPORT)], ids=lambda path: path.name)
def test_the_bundle_has_no_source_maps(path: Path):
    assert path.suffix != ".map"
    assert b"sourceMappingURL" not in path.read_bytes()


def test_the_lockfile_has_no_addresses_of_packages():
    assert '"resolved"' not in (WEB / "package-lock.json").read_text()


def test_versions_are_pinned_exactly():
    import json

    package = json.loads((WEB / "package.json").read_text())
    versions = {**package["dependencies"], **package["devDependencies"]}
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions.values()), versions
