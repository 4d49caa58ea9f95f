#!/bin/sh
# with-lock.sh <name> <command> [argument...] runs the command under a lock, which it extends until the command has ended.
# Exits as the command does, with 75 if somebody else holds the lock, with 69 if there is no lock for another reason.
[ $# -ge 2 ] || { echo "usage: LOCK_URL=... LOCK_API_KEY=... $0 <name> <command> [argument...]" >&2; exit 64; }
name=$1 command='' beat=''; shift
url=${LOCK_URL:-http://localhost:8080}/locks/$(printf %s "$name" | od -An -v -tx1 | tr -d '\n' | tr ' ' %)
token=$(od -An -v -tx1 -N16 /dev/urandom | tr -d ' \n') # Ours: a request whose answer was lost is made again with it.
third=$((${LOCK_TTL:-30} / 3)); [ $third -ge 1 ] || { echo 'LOCK_TTL must be at least 3 (seconds)' >&2; exit 64; } # One until we extend, one to try again, one for the last try: then the lock has expired.
ask() { # Answers with the body and the status. What is secret is not among the arguments, which all users can see.
  printf 'X-API-Key: %s\nLock-Token: %s\n' "$LOCK_API_KEY" "$token" | curl -sS -X "$1" -H @- -w ' %{http_code}' \
    -m $third --retry 9 --retry-max-time $third --retry-all-errors --path-as-is "$url?ttl=${LOCK_TTL:-30}s"
}
end() { # The lock is released when nothing runs any more that needs or extends it.
  trap '' INT TERM
  [ -z "$command" ] || { kill $command; wait $command; } 2>/dev/null
  [ -z "$beat" ] || while kill $beat; do sleep 0.1; done 2>/dev/null # What has only just begun may miss a signal.
  ask DELETE >/dev/null
}
trap end EXIT; trap 'exit 130' INT; trap 'exit 143' TERM
answer=$(ask PUT)
case $answer in *20[01]) ;; *409) echo "$name is locked" >&2; exit 75 ;; *) echo "No lock: ${answer##*"}{"}" >&2; exit 69 ;; esac
exec 3<&0
"$@" <&3 3<&- & command=$!
(trap 'kill $!; exit' TERM # While it asks, this waits for the answer.
  while sleep $third & wait $! && kill -0 $$ 2>/dev/null; do
    case $(ask PUT) in *200) ;; *) echo "$name is lost" >&2; kill $$ && exit; break ;; esac
  done; kill $command) & beat=$! # If this shell was killed, nobody else ends the command.
wait $command
