#!/usr/bin/env bash
# A study on a Slurm allocation: Ray is started on every node, the driver runs on the first one.
#   sbatch examples/cluster/slurm.sh forced-rendering laptop
#SBATCH --job-name=recombine
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --time=08:00:00
#SBATCH --requeue
set -euo pipefail

study=${1:?name a paper or claims, e.g. forced-rendering}
scale=${2:-laptop}
port=6379
# The same environment on every node: a shared file system, or a module that each of them loads.
recombine=${RECOMBINE:-.venv/bin/recombine}
ray=${RAY:-.venv/bin/ray}

# Nodes recognise each other by a token, one for this allocation.
export RAY_AUTH_MODE=token
export RAY_AUTH_TOKEN=$(openssl rand -hex 32)

mapfile -t nodes < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
head=${nodes[0]}
address=$(srun --nodes=1 --ntasks=1 --nodelist="$head" hostname --ip-address | awk '{print $1}')

srun --nodes=1 --ntasks=1 --nodelist="$head" \
    "$ray" start --head --node-ip-address="$address" --port="$port" --num-cpus="$SLURM_CPUS_PER_TASK" --block &
sleep 15
if ((${#nodes[@]} > 1)); then
    srun --nodes=$((${#nodes[@]} - 1)) --ntasks=$((${#nodes[@]} - 1)) --exclude="$head" \
        "$ray" start --address="$address:$port" --num-cpus="$SLURM_CPUS_PER_TASK" --block &
    sleep 15
fi

# Stopped by the time limit and queued again, it goes on where it was: records are on the shared file system.
"$recombine" reproduce "$study" --scale "$scale" --on ray --address "$address:$port" --store "${STORE:-runs}"
