"""`python -m recombine.cli.reference docs`: write the generated pages, the front picture and the README's verdicts."""

import sys
from pathlib import Path

from recombine.cli.reference import pages
from recombine.cli.reference.front import with_verdicts
from recombine.records import Store
from recombine.reports.front_picture import front_picture
from recombine.studies.stores import REFERENCE

docs = Path(sys.argv[1])
for name, text in pages().items():
    (docs / name).parent.mkdir(parents=True, exist_ok=True)
    (docs / name).write_text(text, encoding="utf-8")
(docs / "picture.svg").write_text(front_picture(Store(REFERENCE)), encoding="utf-8")
readme = docs.parent / "README.md"
readme.write_text(with_verdicts(readme.read_text(encoding="utf-8")), encoding="utf-8")
