"""A point per run, a mark and a name per group."""

from recombine.reports.ablation_scatter import FLOOR, Cloud, ablation_scatter, style

CLOUDS = [
    Cloud("regularised", [(0.01, 0.02), (0.02, 0.03), (0.03, 0.04)]),
    Cloud("none", [(0.001, 2.0)]),
    Cloud("not run", []),
]


def test_every_run_is_a_point_and_every_group_is_named(parsed, image_bytes):
    figure = ablation_scatter(CLOUDS, "Low on both (Fig. 3e).")
    svg = image_bytes(figure).decode()
    assert all(f">{words}<" in svg for words in ("regularised", "none", "nMSE, trained (id)", "nMSE, held out (ood)"))
    assert "not run" not in svg
    alt = parsed(figure).all("img")[0].attributes["alt"]
    assert alt.endswith("held out: regularised (3 runs) 0.02 and 0.03; none (1 run) 0.001 and 2.")
    assert "Low on both (Fig. 3e). A point per run" in figure
    assert "are drawn there" not in figure
    assert figure == ablation_scatter(CLOUDS, "Low on both (Fig. 3e).")


def test_what_is_right_to_the_last_digit_is_drawn_at_the_floor():
    assert "Values below 1e\N{MINUS SIGN}6 are drawn there." in ablation_scatter([Cloud("truth", [(0.0, FLOOR)])], "")


def test_no_two_groups_look_alike():
    looks = [tuple(style(place).values()) for place in range(49)]
    assert len(set(looks)) == 49


def test_without_a_run_there_is_no_figure():
    assert ablation_scatter([Cloud("not run", [])], "") is None
    assert ablation_scatter([], "") is None


def test_plain_axes_keep_what_is_below_zero():
    below = [Cloud("monolithic", [(0.9, -0.5), (0.91, -0.4)]), Cloud("compositional", [(0.93, 0.9), (0.94, 0.91)])]
    drawn = ablation_scatter(below, "Two models.", "fit", "all_r2", of_errors=False, plain=True)
    assert "A point per run, plain axes." in drawn
    assert "monolithic (2 runs) 0.905 and \N{MINUS SIGN}0.45" in drawn
    assert "are drawn there" not in drawn
