"""The files for clusters: the Slurm script for real, with commands in Slurm's place; the KubeRay job by its fields."""

import os
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from recombine.cli.app import app
from recombine.papers import Scale
from recombine.records import Store

ROOT = Path(__file__).parents[1]
SLURM, KUBERAY = ROOT / "examples/cluster/slurm.sh", ROOT / "examples/cluster/kuberay.yaml"
SMALL = ROOT / "tests/papers/reproduce_small_claim.py"

# The fields of KubeRay 1.6 and of pods that a job like ours has, as its reference names them: required ones end in "!".
RESOURCES = {"requests": dict, "limits": dict}
CONTAINER = {
    "name!": str,
    "image!": str,
    "resources": RESOURCES,
    "env": list,
    "volumeMounts": [{"name!": str, "mountPath!": str}],
}
VOLUME = {"name!": str, "persistentVolumeClaim": {"claimName!": str}, "configMap": {"name!": str}}
TEMPLATE = {"spec!": {"containers!": [CONTAINER], "volumes": [VOLUME], "nodeSelector": dict, "tolerations": list}}
WORKERS = {
    "groupName!": str,
    "replicas": int,
    "minReplicas!": int,
    "maxReplicas!": int,
    "numOfHosts": int,
    "rayStartParams": dict,
    "template!": TEMPLATE,
}
CLUSTER = {
    "rayVersion": str,
    "authOptions": {"mode": str, "secretName": str, "enableK8sTokenAuth": bool},
    "enableInTreeAutoscaling": bool,
    "autoscalerOptions": dict,
    "headGroupSpec!": {"rayStartParams": dict, "template!": TEMPLATE, "serviceType": str},
    "workerGroupSpecs": [WORKERS],
}
JOB = {
    "apiVersion!": str,
    "kind!": str,
    "metadata!": {"name!": str, "namespace": str, "labels": dict},
    "spec!": {
        "entrypoint": str,
        "shutdownAfterJobFinishes": bool,
        "ttlSecondsAfterFinished": int,
        "activeDeadlineSeconds": int,
        "backoffLimit": int,
        "submissionMode": str,
        "runtimeEnvYAML": str,
        "rayClusterSpec": CLUSTER,
    },
}

# What Slurm would do, on this machine: two names for its nodes, one address, and a step is a process here.
STUBS = {
    "scontrol": '[[ "$*" == "show hostnames node[1-2]" ]] && printf "node1\\nnode2\\n"',
    "hostname": '[[ "$*" == --all-ip-addresses ]] && echo "127.0.0.1 ::1"',
    "srun": """
        echo "$@" >> "$STEPS"
        while [[ $1 == --* ]]; do
            [[ $1 =~ ^--(nodes=1|ntasks=1|nodelist=node1|exclude=node1)$ ]] || { echo "srun: $1" >&2; exit 64; }
            shift
        done
        [[ $SRUN_CPUS_PER_TASK == 1 ]] || exit 65
        exec "$@"
    """,
    "recombine": f'exec "{sys.executable}" "{SMALL}" "$@"',  # with a claim of a few seconds
}


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def members(group: int) -> list[str]:
    """The commands of a process group that are still running."""
    listed = subprocess.run(["ps", "-eo", "pgid=,stat=,args="], capture_output=True, text=True, check=True).stdout
    found = [line.split(None, 2) for line in listed.splitlines()]
    return [args for pgid, state, args in found if int(pgid) == group and not state.startswith("Z")]


def test_the_slurm_script_runs_a_study_on_two_nodes_and_leaves_nothing_behind(tmp_path: Path):
    ray = pytest.importorskip("ray")
    commands = tmp_path / "bin"
    commands.mkdir()
    for name, body in STUBS.items():
        (commands / name).write_text(f"#!/usr/bin/env bash\n{body}\n")
        (commands / name).chmod(stat.S_IRWXU)
    environment = {
        **os.environ,
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
        "STEPS": str(tmp_path / "steps"),
        "SLURM_JOB_NODELIST": "node[1-2]",
        "SLURM_CPUS_PER_TASK": "1",
        "RAY": str(Path(sys.executable).with_name("ray")),
        "RECOMBINE": str(commands / "recombine"),
        "PORT": str(free_port()),
        "STORE": str(tmp_path / "store"),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_worker_niceness": "0",
    }
    started = subprocess.Popen(
        ["bash", SLURM, "SM1", "quick"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,  # a group of its own, which everything it starts belongs to
    )
    try:
        said = started.communicate(timeout=600)[0]
        assert started.returncode == 0, said[-4000:]
        assert "Ray has 2 of 2 nodes." in said
        wanted = {work.digest() for work in run_path(str(SMALL))["CLAIM"].works(Scale.QUICK)}
        store = Store(tmp_path / "store")
        assert set(store.digests()) == wanted
        assert not store.verify()
        steps = (tmp_path / "steps").read_text().splitlines()
        assert [("--nodelist=node1" in step, "--exclude=node1" in step) for step in steps] == [
            (True, False),
            (True, False),
            (False, True),
        ]
        deadline = time.monotonic() + 120
        while (left := members(started.pid)) and time.monotonic() < deadline:
            time.sleep(0.2)
        assert left == []
    finally:
        if members(started.pid):
            os.killpg(started.pid, signal.SIGKILL)
    assert not ray.is_initialized()


def misfits(given: Any, wanted: Any, where: str = "job") -> list[str]:
    """What a document has that its fields do not allow, or lacks that they require."""
    if isinstance(wanted, type):
        return [] if type(given) is wanted else [f"{where} is no {wanted.__name__}"]
    if isinstance(wanted, list):
        if not isinstance(given, list) or not given:
            return [f"{where} is no list of something"]
        return [found for index, each in enumerate(given) for found in misfits(each, wanted[0], f"{where}[{index}]")]
    if not isinstance(given, dict):
        return [f"{where} has no fields"]
    fields = {name.removesuffix("!"): field for name, field in wanted.items()}
    lacking = [f"{where} lacks {name[:-1]}" for name in wanted if name.endswith("!") and name[:-1] not in given]
    strange = [f"{where} has no {name}" for name in given if name not in fields]
    inside = [f for name in fields if name in given for f in misfits(given[name], fields[name], f"{where}.{name}")]
    return lacking + strange + inside


def test_the_kuberay_job_has_the_fields_that_kuberay_knows():
    study, job = yaml.safe_load_all(KUBERAY.read_text())
    assert (job["apiVersion"], job["kind"], study["kind"]) == ("ray.io/v1", "RayJob", "ConfigMap")
    assert misfits(job, JOB) == []
    spec = job["spec"]["rayClusterSpec"]
    assert f"ray=={spec['rayVersion']}\n" in (ROOT / "constraints.txt").read_text()
    assert all(isinstance(value, str) for value in spec["headGroupSpec"]["rayStartParams"].values())
    pods = [group["template"]["spec"] for group in (spec["headGroupSpec"], *spec["workerGroupSpecs"])]
    for pod in pods:
        volumes = {volume["name"] for volume in pod.get("volumes", [])}
        for container in pod["containers"]:
            assert {mount["name"] for mount in container.get("volumeMounts", [])} == volumes
            assert container["resources"]["requests"] == container["resources"]["limits"]
    assert pods[0]["volumes"][1]["configMap"]["name"] == study["metadata"]["name"]
    for group in spec["workerGroupSpecs"]:
        assert group["minReplicas"] <= group["replicas"] <= group["maxReplicas"]


def test_the_page_says_how_often_a_job_is_begun_again():
    """Whatever failed is: no field of KubeRay's goes by exit codes, so bad input is not told from a lost cluster."""
    _, job = yaml.safe_load_all(KUBERAY.read_text())
    assert job["spec"]["backoffLimit"] == 3
    assert "three times (`backoffLimit`)" in (ROOT / "docs/guide/cluster.md").read_text()


def test_a_misspelt_field_of_the_job_is_found():
    _, job = yaml.safe_load_all(KUBERAY.read_text())
    job["spec"]["backOffLimit"] = job["spec"].pop("backoffLimit")
    workers = job["spec"]["rayClusterSpec"]["workerGroupSpecs"][0]
    workers["replicas"] = "4"
    del workers["groupName"]
    where = "job.spec.rayClusterSpec.workerGroupSpecs[0]"
    assert misfits(job, JOB) == [
        "job.spec has no backOffLimit",
        f"{where} lacks groupName",
        f"{where}.replicas is no int",
    ]


@pytest.mark.parametrize(
    ("code", "left", "ends"), [(0, 0, 0), (1, 0, 0), (1, 10, 1), (2, 0, 1), (137, 0, 1), (143, 0, 1)]
)
def test_a_contradicted_claim_does_not_fail_the_job_and_all_else_does(code: int, left: int, ends: int, tmp_path: Path):
    study, job = yaml.safe_load_all(KUBERAY.read_text())
    assert job["spec"]["entrypoint"] == "bash /study/study.sh"
    script = study["data"]["study.sh"]
    plan = f"10 experiments, {10 - left} recorded, {left} to run: about 1.0 core minutes."
    stub = f'#!/usr/bin/env bash\n[[ $1 == plan ]] && echo "{plan}" && exit\necho "$@"\nexit {code}\n'
    (tmp_path / "recombine").write_text(stub)
    (tmp_path / "recombine").chmod(stat.S_IRWXU)
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True)
    assert done.returncode == ends, done.stderr
    command, *options = done.stdout.splitlines()[0].split()
    understood = get_command(app).commands[command].make_context(command, options).params  # type: ignore[attr-defined]
    assert (understood["on"], understood["address"], str(understood["store"])) == ("ray", "auto", "/records")
