#!/usr/bin/env bash
# A study on a Slurm allocation: Ray is started on every node, the driver runs on the first one.
#   sbatch examples/cluster/slurm.sh forced-rendering laptop
#   GPUS=0.25 sbatch --gpus-per-node=4 examples/cluster/slurm.sh forced-rendering paper    # four trainings on each GPU
#SBATCH --job-name=recombine
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --time=08:00:00
#SBATCH --requeue
#SBATCH --signal=B:USR1@120
set -euo pipefail

study=${1:?name a paper or claims, e.g. forced-rendering}
scale=${2:-laptop}
port=${PORT:-6379}
# The same environment on every node: a shared file system, or a module that each of them loads.
recombine=${RECOMBINE:-.venv/bin/recombine}
ray=${RAY:-.venv/bin/ray}

# Nodes recognise each other by a token, one for this allocation.
RAY_AUTH_TOKEN=$(openssl rand -hex 32)
export RAY_AUTH_MODE=token RAY_AUTH_TOKEN
# Steps do not take over how many processors a task has; without it Ray would have one of each node.
export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK
# Ray ends with the study, however that ends.
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
# Two minutes before the time limit the job queues itself again; --requeue alone does so only where a node fails.
trap 'scontrol requeue "$SLURM_JOB_ID"' USR1

mapfile -t nodes < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
head=${nodes[0]}
others=$((${#nodes[@]} - 1))
# An address that the other nodes can reach: the first that is not the loopback's.
address=$(srun --nodes=1 --ntasks=1 --nodelist="$head" hostname --all-ip-addresses | awk '{print $1}')

# Until Ray has so many nodes; a few minutes at the most.
wait_for() {
    for _ in {1..60}; do
        there=$("$ray" status --address "$address:$port" 2>/dev/null | grep -c ' node_' || true)
        ((there >= $1)) && return
        sleep 2
    done
    ((there)) || { echo "Ray did not start on $head; see what it said above, or set PORT to a free one." >&2; exit 2; }
}

srun --nodes=1 --ntasks=1 --nodelist="$head" \
    "$ray" start --head --node-ip-address="$address" --port="$port" --num-cpus="$SLURM_CPUS_PER_TASK" --block &
wait_for 1
if ((others)); then
    srun --nodes="$others" --ntasks="$others" --exclude="$head" \
        "$ray" start --address="$address:$port" --num-cpus="$SLURM_CPUS_PER_TASK" --block &
    # Work is planned for the nodes that are there when it begins; those that come later are used, too.
    wait_for ${#nodes[@]}
fi
echo "Ray has $there of ${#nodes[@]} nodes."

# Queued again, it goes on where it was: records are on the shared file system. In the background, since a trap waits
# for what is in front. A claim that is contradicted (exit code 1) is a result.
"$recombine" reproduce "$study" --scale "$scale" --on ray --address "$address:$port" --gpus "${GPUS:-0}" \
    --store "${STORE:-runs}" &
wait $! || test $? -eq 1
