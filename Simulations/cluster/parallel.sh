#!/bin/bash
# Explores with GNU parallel, on this machine or on several, and merges what was found.
#
#   parallel.sh COUNT [option of parallel…]
#
# COUNT is the number of shards. The environment is that of shard.sh. With more machines, which share RESULTS:
#   parallel.sh 64 --sshlogin 4/ann,8/bob --workdir . --env RESULTS --env SEEDS
#
# A shard whose process dies is begun again once; SHARD_TIME (else 1h) ends each.
set -u
[ $# -gt 0 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
count=$1
shift
export RESULTS=${RESULTS:-shards}
# SIGTERM has a shard end its answer; only what does not is killed. One processor is one shard.
export EXPLORE=${EXPLORE:---no-shrink --jobs 1}
seq 0 $((count - 1)) | parallel --retries 2 --timeout "${SHARD_TIME:-1h}" --termseq TERM,10000,KILL,25 \
  "$@" "$here/shard.sh" {} "$count"
"${EARSHOT:-earshot}" merge "$RESULTS"/*.jsonl --junit "$RESULTS/findings.xml"
