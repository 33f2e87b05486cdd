"""The verdicts in the README: how the claims of each paper came out, and a line for each headline claim."""

import re
from collections import Counter

from recombine.cli.reference import judged, wording
from recombine.core.errors import InputError
from recombine.papers import Verdict, papers

HEADLINES = ("FR1", "FR8", "FR11", "KT6", "KT8", "FP4", "PM1", "PM2", "DF8", "DF9")
BETWEEN = re.compile(r"(<!-- verdicts -->\n).*?(<!-- /verdicts -->)", flags=re.DOTALL)
ORDER = (Verdict.CONFIRMED, Verdict.UNDECIDED, Verdict.CONTRADICTED, Verdict.MISSING)


def verdicts() -> str:
    """Two tables in Markdown."""
    found = judged.judgements()
    counts = []
    for paper in papers.values():
        came_out = Counter(found[claim.id].verdict for claim in paper.claims_at(judged.SCALE))
        link = f"[{paper.title}](docs/reference/claims/{paper.key}.md) ({paper.citation})"
        counts.append((link, *(str(came_out[verdict]) for verdict in ORDER)))
    lines = [
        (name, found[name].claim.says, f"**{found[name].verdict}**", judged.in_words(found[name])) for name in HEADLINES
    ]
    return "\n".join(
        [
            *wording.table(("paper", *ORDER), counts),
            *wording.table(("claim", "what it says", "verdict", "what decided"), lines),
        ]
    )


def with_verdicts(readme: str) -> str:
    """The README with fresh verdicts between its two marks."""
    if not BETWEEN.search(readme):
        raise InputError(
            "README.md lacks the marks <!-- verdicts --> and <!-- /verdicts -->; put them around the table."
        )
    return BETWEEN.sub(lambda marks: f"{marks[1]}{verdicts()}{marks[2]}", readme)
