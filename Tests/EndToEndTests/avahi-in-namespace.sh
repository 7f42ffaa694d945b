#!/usr/bin/env bash
# Runs a command beside an avahi-daemon of its own, until the standard input, which the command has, ends; the daemon
# goes on for a while.
# To be called inside a network namespace, as root.
#
#   avahi-in-namespace.sh INTERFACE HOSTNAME COMMAND…
#
# Daemon and message bus live below a /run of their own, so that several can run side by side, and among processes
# of their own, so that none outlives this one, however it ends.
set -u
if [ "${AVAHI_ISOLATED:-}" != yes ]; then
  AVAHI_ISOLATED=yes exec unshare --mount --propagation private --pid --fork --kill-child "$0" "$@"
fi
interface=$1 hostname=$2
shift 2
mount -t tmpfs tmpfs /run && mkdir /run/dbus /run/avahi-daemon || exit 99
chown messagebus /run/dbus && chown avahi /run/avahi-daemon || exit 99
printf '%s\n' '[server]' "host-name=$hostname" "allow-interfaces=$interface" \
  '[publish]' 'publish-workstation=no' >/run/avahi.conf
await() { # await WORD…: until that holds; a minute is long enough on the busiest machine.
  for _ in $(seq 600); do "$@" && return; sleep 0.1; done
  echo "never: $*" && cat /run/avahi.log
  exit 99
}
has_started() { # Starts the daemon once more if it has ended.
  grep -q 'startup complete' /run/avahi.log && return
  kill -0 "$daemon" 2>/dev/null || { cat /run/avahi.log && start; }
  return 1
}
start() {
  avahi-daemon --file /run/avahi.conf --no-chroot --no-drop-root --no-rlimits >/run/avahi.log 2>&1 &
  daemon=$!
}
dbus-daemon --system --nofork --nopidfile >/dev/null 2>&1 &
await test -S /run/dbus/system_bus_socket
start
await has_started
mkfifo /run/input
"$@" </run/input &
command=$!
cat >/run/input
kill -KILL $command # Signals may be blocked here; the daemon says goodbye for it.
sleep 20
