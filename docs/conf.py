"""How Sphinx builds the guide: `make guide`. Nothing is loaded from elsewhere, so that pages work offline."""

import sys
from pathlib import Path

import matplotlib

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "recombine"
author = "The recombine authors"
copyright = "the recombine authors, MIT licence"

extensions = ["myst_parser", "mathml", "notebooks"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
nitpicky = True

html_theme = "pydata_sphinx_theme"
html_title = "recombine"
# A font with the measures that formulas need, for machines that have none of their own.
html_static_path = ["_static", str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSerif.ttf")]
html_css_files = ["guide.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_theme_options = {
    "show_prev_next": True,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_nav_level": 1,
    "show_toc_level": 3,
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
}
pygments_style = "default"
