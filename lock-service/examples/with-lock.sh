#!/bin/sh
# Runs a command while it holds a lock of lock-service. Needs curl.
#
#   with-lock.sh <name> <command> [argument...]
#
# Environment:
#   LOCK_URL      the address of the service; default http://localhost:8080
#   LOCK_API_KEY  the API key
#   LOCK_TTL      the ttl of the lock in whole seconds, 3 to 86400; default 30
#
# Exit codes, the same in with-lock.sh, with_lock.py and with-lock.mjs:
#   64   usage: the name or the command is missing, or LOCK_TTL is invalid
#   69   the lock could not be acquired: the service is unavailable or rejected the request
#   70   the lock was lost, and the command was ended
#   75   another client holds the lock
#   126  the command cannot be executed
#   127  the command does not exist
#   128 + n, if signal n (SIGHUP, SIGINT or SIGTERM) was sent to this program, or ended the command
# Otherwise the exit code of the command.

name=$1
ttl=${LOCK_TTL:-30}
command=''
heartbeat=''

if [ -z "$1" ] || [ -z "$2" ]; then
  echo "usage: ${0##*/} <name> <command> [argument...]" >&2
  exit 64
fi
shift

case $ttl in
  0* | *[!0-9]* | ??????*) valid='' ;;
  *) valid=yes ;;
esac
if [ -z "$valid" ] || [ "$ttl" -lt 3 ] || [ "$ttl" -gt 86400 ]; then
  echo "LOCK_TTL must be a whole number of seconds from 3 to 86400, not '$ttl'" >&2
  exit 64
fi

# The lock is extended after one third of its ttl, which counts from the request, not from its
# response. The second third is for retries, except for one second, since the clock of a shell has
# whole seconds. The last third is for the response to the last retry. Half a second of it is left
# to end the command.
third=$((ttl / 3))
retries=$((third > 2 ? third - 2 : 0))
response_time=$((third - 1)).5

# Every byte of the name is percent-encoded.
path=$(printf %s "$name" | od -An -v -tx1 | tr -d '\n' | tr ' ' %)
url="${LOCK_URL:-http://localhost:8080}/locks/$path?ttl=${ttl}s"

# The client chooses the token, so that it can repeat a request whose response was lost.
token=$(od -An -v -tx1 -N16 /dev/urandom | tr -d ' \n')

# Prints the end of the body of the response, the size of the body and the status, with a space
# between them; or "no response". The headers go through the standard input, because all users of
# the machine can see the arguments of a process. A redirection is not followed: it would send the
# key elsewhere. The rate is limited, so that a body without an end costs little.
request() {
  output=$(
    printf 'X-API-Key: %s\nLock-Token: %s\n' "$LOCK_API_KEY" "$token" | {
      curl -sS -X "$1" -H @- -w ' %{size_download} %{http_code}' --path-as-is --no-location \
        -m "$response_time" --limit-rate 1M --retry-all-errors --retry "$retries" \
        --retry-delay 1 --retry-max-time "$retries" "$url" || echo ' incomplete'
    } | tail -c 1000
  )
  # The body is only shown in a message, and need not be complete. But before the first byte of the
  # body, the headers of a success may be incomplete, too. Without curl there is no status at all.
  case $output in
    *' 000 incomplete' | *' 0 2'??' incomplete' | ' incomplete') echo 'no response' ;;
    *) printf '%s\n' "${output% incomplete}" ;;
  esac
}

# Prints the seconds until the lock must be extended. Zero also if the clock was set back.
until_due() {
  passed=$(($(date +%s) - sent))
  echo $((passed >= 0 && passed < third ? third - passed : 0))
}

# Extends the lock until it is lost, or until this script has ended.
keep_lock() {
  # A signal ends the sleep. A request under way is finished first, so that it cannot reach the
  # service after the release.
  trap 'kill $! 2>/dev/null; exit' TERM
  while true; do
    sleep "$(until_due)" &
    wait $!
    kill -0 $$ 2>/dev/null || break
    sent=$(date +%s)
    case $(request PUT) in
      *200) ;;
      *)
        echo "The lock $name is lost" >&2
        break
        ;;
    esac
  done
  # The script ends the command. If the script was killed, only this process can do that.
  kill -USR1 $$ 2>/dev/null || kill "$command"
}

# Ends the command and the heartbeat before it releases the lock.
finish() {
  trap '' HUP INT TERM USR1
  if [ -n "$command" ]; then
    kill "$command" 2>/dev/null
    wait "$command" 2>/dev/null
  fi
  if [ -n "$heartbeat" ]; then
    # A process that has just been started can miss a signal: the signal is repeated.
    while kill "$heartbeat" 2>/dev/null; do
      sleep 0.1
    done
  fi
  request DELETE >/dev/null 2>&1
}

trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
# The lock is lost.
trap 'exit 70' USR1

sent=$(date +%s)
response=$(request PUT)
case $response in
  *20[01]) ;;
  *409)
    echo "The lock $name is held by another client" >&2
    exit 75
    ;;
  *'no response')
    echo "The lock $name could not be acquired: no response" >&2
    exit 69
    ;;
  *)
    # After retries, curl has printed the bodies of all responses. Only the last one is of interest.
    body=${response% * *}
    case $body in
      *"}{"*) body="{${body##*"}{"}" ;;
    esac
    echo "The lock $name could not be acquired: ${response##* }: $body" >&2
    exit 69
    ;;
esac

# The shell gives a command in the background no input. Descriptor 3 passes on that of the script.
exec 3<&0
"$@" <&3 3<&- &
command=$!
keep_lock &
heartbeat=$!
wait "$command"
