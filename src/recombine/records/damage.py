"""What can be wrong with a stored record, said by name."""

from pathlib import Path

from recombine.core.errors import InputError

# What lies in folders of single files.
NOTES = {"forecasts": "forecast", "failures": "note of failure"}


class AlreadyRecorded(InputError):
    """A record of this digest exists; it is not overwritten."""


class DamagedRecord(InputError):
    """A stored file is not what was written. It is reported and left alone.

    ``place`` is what the user should move away: the run folder, or the file of a forecast.
    """

    def __init__(self, digest: str, file: str, reason: str, place: Path) -> None:
        # All arguments go up, so that the error survives pickling between processes.
        super().__init__(digest, file, reason, place)
        self.digest = digest
        self.file = file
        self.reason = reason
        self.place = place

    def __str__(self) -> str:
        if kind := NOTES.get(self.place.parent.name):
            where = f"move {str(self.place)!r} away (recombine never deletes it)"
            return f"{kind} {self.digest!r} is damaged: {self.file} {self.reason}; {where}."
        return (
            f"run {self.digest!r} is damaged: {self.file} {self.reason}; "
            f"move {str(self.place)!r} away and run it again (recombine never deletes it)."
        )


class NewerRecord(DamagedRecord):
    """A record written by a later recombine. It may be sound, but this version cannot tell."""

    def __str__(self) -> str:
        kind = NOTES.get(self.place.parent.name, "run")
        return (
            f"{kind} {self.digest!r} cannot be read: {self.file} {self.reason}; "
            f"upgrade recombine to read {str(self.place)!r}."
        )
