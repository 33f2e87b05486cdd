"""What a page says of the hole: held out, shown here all the same, or no other than the rest, which is new too."""

from recombine.data import Problem


def no_combination(problem: Problem) -> bool:
    """Whether training showed factors alone and not one combination, so that all of them are new."""
    return problem.support is None and problem.examples == 0


def shown_instead(problem: Problem) -> str:
    """What training showed where it showed no combination."""
    of = f" of {problem.isolated[0]}" if len(problem.isolated) == 1 else ""
    rim = " and crossings that the border cuts off" if problem.rim else ""
    return f"no combination was shown, only lone stripes{of}{rim}"


def hole_words(problem: Problem) -> str:
    """What the held-out part of the plane is."""
    if no_combination(problem):
        return f"held out in name only: {shown_instead(problem)}"
    return "held out elsewhere, but shown here" if problem.reveal else "held out"
