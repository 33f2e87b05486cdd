"""The page itself: the files of the bundle, read once, so that no path of a request reaches the file system."""

import html
import mimetypes
from pathlib import Path

BUNDLE = Path(__file__).with_name("bundle")
INDEX = "index.html"
TOKEN = '<meta name="recombine-token" content=""'
MISSING = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>recombine</title>
<meta name="recombine-token" content=""></head><body><p>The page of the explorer is not part of this copy of recombine;
its interface answers under /api, and the page is built with `make web`.</p></body></html>
"""
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2"}


class Bundle:
    """The files of the page by their path in it."""

    def __init__(self, folder: Path = BUNDLE) -> None:
        found = sorted(path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else []
        self.files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}

    def index(self, token: str) -> str:
        """The page with the token of this server filled in."""
        page = self.files[INDEX].decode() if INDEX in self.files else MISSING
        return page.replace(TOKEN, TOKEN.replace('content=""', f'content="{html.escape(token)}"'), 1)

    def file(self, name: str) -> tuple[bytes, str] | None:
        """The content and the media type of a file; None if the page has no such file."""
        if name not in self.files or name == INDEX:
            return None
        suffix = Path(name).suffix
        return self.files[name], TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
