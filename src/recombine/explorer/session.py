"""What a running server holds: its stores, its list of runs, and the processes beside it."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from recombine.core.errors import InputError
from recombine.explorer import forecasts
from recombine.explorer.aside import Aside
from recombine.explorer.listing import Listing
from recombine.explorer.presets import PRESETS
from recombine.studies.stores import reading_stores

WARM_SECONDS = 60.0


class Unknown(InputError):
    """There is no such run, job or claim."""


class Session:
    """All state of one server."""

    def __init__(self, store: Path | None = None) -> None:
        self.stores = reading_stores(store)
        self.listing = Listing(self.stores)
        self.quick = Aside(afresh=True)  # forecasts and cells, which a person waits for
        self.slow = Aside()  # looks inside and claims

    @asynccontextmanager
    async def lifespan(self, app: Any) -> AsyncIterator[None]:
        """Around serving: what takes long to load is loaded once the server answers."""
        threading.Thread(target=self.warm, daemon=True).start()
        try:
            yield
        finally:
            self.close()

    def warm(self) -> None:
        """Load what the first clicks need: the forecast that the page opens with, the list of runs, torch."""
        self.quick.start()
        self.quick.ask(forecasts.told, PRESETS[0]["problem"], seconds=WARM_SECONDS)
        self.listing.rows()
        self.slow.start()

    def close(self) -> None:
        self.quick.close()
        self.slow.close()
