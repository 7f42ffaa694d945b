#!/bin/bash
# Runs a command beside a Slurm of its own: one machine that is controller and node, for trying slurm.sbatch.
#
#   slurm-on-one-machine.sh COMMAND…
#
# Needs root and Debian's slurm-wlm. The daemons live in namespaces of their own (processes, network, mounts), with
# a temporary folder, so that they meet nothing that runs here, and end with the command.
set -eu
[ $# -gt 0 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
if [ -z "${EARSHOT_SLURM:-}" ]; then
  EARSHOT_SLURM=$(mktemp -d "${TMPDIR:-/tmp}/earshot-slurm-XXXXXX")
  export EARSHOT_SLURM
  trap 'rm -rf "$EARSHOT_SLURM"' EXIT
  # The first process of the namespace takes all others with it.
  unshare --pid --fork --kill-child --mount --mount-proc --net --uts -- "$0" "$@" <&0 &
  child=$!
  trap 'kill -KILL "$child"' HUP INT TERM
  wait "$child"
  exit
fi

folder=$EARSHOT_SLURM node=here address=10.77.0.1
export SLURM_CONF=$folder/slurm.conf
# Slurm looks names up with AI_ADDRCONFIG, which takes loopback addresses for none.
ip link set lo up
ip link add cable type veth peer name other
ip address add "$address/24" dev cable
ip link set cable up
ip link set other up
hostname "$node"
printf '%s\n' "127.0.0.1 localhost" "$address $node" >"$folder/hosts"
mount --bind "$folder/hosts" /etc/hosts
chmod 755 "$folder" # Munge wants its socket to be within everyone's reach.
mkdir -m 755 "$folder/munge"
(umask 077 && head -c 1024 /dev/urandom >"$folder/munge/key")
mkdir "$folder/state" "$folder/spool" "$folder/log"
cat >"$SLURM_CONF" <<CONF
ClusterName=earshot
SlurmctldHost=$node($address)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CryptoType=crypto/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/log/slurmctld
SlurmdLogFile=$folder/log/slurmd
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1
ReturnToService=2
KillWait=${EARSHOT_SLURM_KILL_WAIT:-30}
NodeName=$node NodeAddr=$address CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE State=UP
CONF

munged --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" \
  --pid-file="$folder/munge/pid" --log-file="$folder/munge/log" --seed-file="$folder/munge/seed"
slurmctld -c
slurmd -c -N "$node"
tries=0
until sinfo --noheader --format=%T 2>/dev/null | grep -qx idle; do
  tries=$((tries + 1))
  if [ "$tries" -gt 300 ]; then
    echo "slurm-on-one-machine: Slurm does not begin" >&2
    tail -n 20 "$folder"/log/* >&2
    exit 1
  fi
  sleep 0.1
done
"$@"
