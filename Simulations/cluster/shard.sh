#!/bin/sh
# Explores one shard, and leaves its answer in a file.
#
#   shard.sh INDEX COUNT
#
# INDEX counts from 0. By the environment:
#   RESULTS    the folder for the answers, shared by all shards (else shards)
#   SEEDS      the seeds of all shards together (else 0...9999)
#   SCENARIOS  the files to explore, between spaces (else all: the folder Simulations here)
#   EXPLORE    further options of "earshot explore" (else --no-shrink)
#   EARSHOT    the program (else earshot)
#
# Ends with 0 when the answer is whole, whatever was found: what failed is for "earshot merge" to say, and would
# fail again if the shard were begun again.
set -u
[ $# -eq 2 ] || { sed -n '2,14s/^# \{0,1\}//p' "$0" >&2; exit 2; }
results=${RESULTS:-shards}
mkdir -p "$results" || exit
# Engines end a shard with SIGTERM. The shell passes it on, and waits for the answer to be ended.
# shellcheck disable=SC2086 # Several files, several options.
"${EARSHOT:-earshot}" explore ${SCENARIOS:-all} --seeds "${SEEDS:-0...9999}" --shard "$1/$2" --json \
  ${EXPLORE:---no-shrink} >"$results/$1.jsonl" &
shard=$!
trap 'kill -TERM "$shard" 2>/dev/null' INT TERM
wait "$shard"
status=$?
while kill -0 "$shard" 2>/dev/null; do
  wait "$shard"
  status=$?
done
case $status in
0 | 1 | 3 | 4) exit 0 ;; # It held, or not, or crashed, or checked nothing: an answer.
*) exit "$status" ;;
esac
