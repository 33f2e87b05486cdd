"""Formulas as MathML, made by docutils when the pages are built: browsers draw it by themselves, without a script."""

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

logger = logging.getLogger(__name__)


def setup(app):
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def inline(translator, node):
    translator.body.append(written(node, as_block=False))
    raise nodes.SkipNode


def block(translator, node):
    translator.body.append(translator.starttag(node, "div", CLASS="math"))
    translator.body.append(written(node, as_block=True))
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def written(node, as_block):
    """The formula; what docutils cannot read is told as a warning, which stops a strict build."""
    try:
        return tex2mathml(node.astext(), as_block=as_block)
    except MathError as error:
        logger.warning("formula %r: %s", node.astext(), error, location=node)
        return f"<code>{nodes.unescape(node.astext())}</code>"
