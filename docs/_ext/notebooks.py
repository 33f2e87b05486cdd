"""Notebooks as pages: their words and their code, in order. They are run by a test, not by the build."""

import nbformat
from myst_parser.parsers.sphinx_ import MystParser


class NotebookParser(MystParser):
    """Reads a notebook as the Markdown that its cells are."""

    supported = ("ipynb",)

    def parse(self, inputstring, document):
        cells = nbformat.reads(inputstring, as_version=4).cells
        parts = [cell.source if cell.cell_type == "markdown" else f"```python\n{cell.source}\n```" for cell in cells]
        super().parse("\n\n".join(parts), document)


def setup(app):
    app.add_source_suffix(".ipynb", "ipynb")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
