"""What a study will cost, from a few training steps of each kind of run in it."""

import time
from collections.abc import Callable, Iterable

from recombine.core.errors import InputError
from recombine.core.spec import canonical_json, dump
from recombine.studies.experiment import Experiment
from recombine.studies.stacks import Stack
from recombine.studies.work import change

WARM_UP, TIMED = 2, 8  # steps
LONG = 1.0  # seconds of a step that is timed once
PART = 16  # examples, or places, from which what takes long is told
TOO_LONG = 2.0  # seconds of a step on part of a batch; the whole batch is not tried
FAR_TOO_LONG = 10.0  # seconds of being measured in `MORE` passes; it is not tried
FEW, MORE = 1, 3  # passes of a network that takes many for one answer
START_UP = 4.0  # seconds to start a worker, which loads torch; the same sort of guess


Timed = Callable[[int, int], None]  # stacks that have been looked at, of how many


def seconds_aside(stacks: Iterable[Stack], timed: Timed | None = None) -> dict[str, float]:
    """`seconds`, timed in a process like those that train: elsewhere steps take a tenth longer for their pages."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    from recombine.studies.processes import main_left_alone, processes, start, worker_environment

    with worker_environment(), ProcessPoolExecutor(1, processes(), start) as pool:

        def aside(stack: Stack) -> dict[str, float]:
            with main_left_alone():  # the process starts when it is first needed
                future = pool.submit(seconds_of, stack)
            return future.result()

        try:
            return seconds(stacks, timed, aside)
        except BrokenProcessPool as error:
            raise InputError(
                "the process that times training steps died, perhaps for want of memory; plan fewer claims at once, "
                "or a smaller scale."
            ) from error
        except BaseException:  # an interrupt does not wait for a step that takes long
            for process in list(pool._processes.values()):
                process.terminate()
            raise


def seconds(
    stacks: Iterable[Stack],
    timed: Timed | None = None,
    of: Callable[[Stack], dict[str, float]] | None = None,
) -> dict[str, float]:
    """Expected seconds of one core for each piece of work, by digest: its share of its stack's, and its measuring.

    Work of one kind is timed once: stacks of one shape and size that differ in the number of steps only, and networks
    that train alone and differ in what they are shown only. Training that stops early is counted in full. ``timed`` is
    told how many stacks have been looked at, of how many, at the start as well; ``of`` is `seconds_of`, or stands in.
    """
    stacks = list(stacks)
    if timed and stacks:
        timed(0, len(stacks))
    expected: dict[str, float] = {}
    for done, stack in enumerate(stacks, 1):
        expected |= (of or seconds_of)(stack)
        if timed:
            timed(done, len(stacks))
    return expected


def seconds_of(stack: Stack) -> dict[str, float]:
    """Expected seconds of one core for each member of a stack, by digest."""
    if isinstance(stack.members[0], Experiment):
        share = seconds_together(*_experiments(stack)) / len(stack)
        return {member.digest(): share for member in stack.members}
    return {member.digest(): member.expected_seconds() for member in stack.members}


def seconds_together(*experiments: Experiment) -> float:
    """Expected seconds of one core for experiments of one shape that train as one stack; for one on its own."""
    first = experiments[0]
    if not first.model.trainable:
        return 0.0
    step = _timed((same_step(first), len(experiments)), lambda: seconds_per_step(experiments))
    measuring = _measured(first)
    if first.checkpoints:
        # The start is looked at as well.
        measuring += (1 + first.checkpoints) * _measured(at_a_checkpoint(first))
    return step * first.recipe.steps + measuring * len(experiments)


def at_a_checkpoint(experiment: Experiment) -> Experiment:
    """The experiment with what is measured on the way alone."""
    from recombine.training.run import on_the_way

    return change(
        experiment, measures=on_the_way(experiment.measures), exhibits=on_the_way(experiment.exhibits), checkpoints=0
    )


def _measured(experiment: Experiment) -> float:
    return _timed((same_measuring(experiment), 1), lambda: seconds_of_measuring(experiment))


_known: dict[tuple[str, int], float] = {}


def _timed(kind: tuple[str, int], timing: Callable[[], float]) -> float:
    """What this kind was timed to take, now or earlier in this process."""
    if kind not in _known:
        _known[kind] = timing()
    return _known[kind]


def same_step(experiment: Experiment) -> str:
    """What experiments have in common that take the same time for each step."""
    once = change(experiment, seed=0, recipe=change(experiment.recipe, steps=1))
    if experiment.model.stackable:
        return once.shape()
    return canonical_json([*_pictures(once), dump(once.model), dump(once.recipe)])


def same_measuring(experiment: Experiment) -> str:
    """What experiments have in common that take the same time for being measured."""
    of = [same_step(experiment)] if experiment.model.stackable else [*_pictures(experiment), dump(experiment.model)]
    return canonical_json([*of, experiment.measures, experiment.exhibits])


def _pictures(experiment: Experiment) -> list[object]:
    task = experiment.problem.task
    return [task.kind, getattr(task, "image", None), experiment.problem.grid.shape]


def seconds_per_step(experiments: Iterable[Experiment]) -> float:
    """CPU seconds of one step of a stack on one thread, after a warm-up.

    Batches grow from `PART` to their size. If a step takes `TOO_LONG` before that, the rest is in proportion.
    """
    from recombine.training.loop import Member, fit
    from recombine.training.run import build

    parts = [(build(e.problem, e.model, e.seed), e.problem.training_set(e.seed), e) for e in experiments]

    def taking(steps: int, batch: int) -> float:
        members = [
            Member(net, shown, change(e.recipe, steps=steps, batch=batch, lone=None), e.seed) for net, shown, e in parts
        ]
        return cpu_seconds(lambda: fit(members))

    _, shown, first = parts[0]
    whole = len(shown) if first.recipe.batch == "all" else first.recipe.batch
    batch = min(PART, whole)
    taking(WARM_UP, batch)
    while (once := taking(1, batch)) < TOO_LONG and batch < whole:
        batch = min(2 * batch, whole)
    if once > LONG:
        return once * whole / batch
    # What a training takes before its first step is no part of any.
    begun = taking(WARM_UP, whole)
    return max(taking(WARM_UP + TIMED, whole) - begun, 0.0) / TIMED


def seconds_of_measuring(experiment: Experiment) -> float:
    """CPU seconds of measuring one network on one thread.

    A network that takes many passes for one answer is measured as if it took `FEW`. What more of them take is a line
    through `FEW` and `MORE` with nothing measured: a line would stretch the chance by which shapes of noise take longer
    or less long. Where that would take `FAR_TOO_LONG`, its passes alone are counted.
    """
    from recombine.training.observe import pictures_denoised
    from recombine.training.run import build, exhibited, measure_network

    def taking(passes: int, **less: tuple[str, ...]) -> float:
        brief = change(experiment, model=experiment.model.in_passes(passes), **less)
        plan, network = brief.plan(), build(brief.problem, brief.model, brief.seed)
        return cpu_seconds(lambda: exhibited(plan, measure_network(plan, network)[0]))

    passes = experiment.model.passes
    if passes <= MORE:
        return taking(passes)
    once = seconds_of_a_pass(experiment)
    if once * pictures_denoised(experiment.problem, MORE) > FAR_TOO_LONG:
        return once * pictures_denoised(experiment.problem, passes)
    few, more = (taking(each, measures=(), exhibits=()) for each in (FEW, MORE))
    return taking(FEW) + max(more - few, 0.0) * (passes - FEW) / (MORE - FEW)


def seconds_of_a_pass(experiment: Experiment) -> float:
    """CPU seconds of one pass of a network for one place, on one thread, after a warm-up."""
    import torch

    from recombine.models.activations import activations
    from recombine.training.run import build

    network = build(experiment.problem, experiment.model.in_passes(1), experiment.seed)
    some = torch.from_numpy(experiment.problem.everything.codes[:PART])

    def taking() -> float:
        return cpu_seconds(lambda: activations(network, some, ["output"])) / len(some)

    taking()
    return taking()


def cpu_seconds(act: Callable[[], object]) -> float:
    """CPU seconds of an act on one thread."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        started = time.process_time()
        act()
        return time.process_time() - started
    finally:
        torch.set_num_threads(threads)


def _experiments(stack: Stack) -> list[Experiment]:
    return [member for member in stack.members if isinstance(member, Experiment)]
