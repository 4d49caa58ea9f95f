#!/usr/bin/env python3
"""Runs a command while it holds a lock of lock-service. Needs Python 3 only.

  with_lock.py <name> <command> [argument...]

Environment:
  LOCK_URL      the address of the service; default http://localhost:8080
  LOCK_API_KEY  the API key
  LOCK_TTL      the ttl of the lock in whole seconds, 3 to 86400; default 30

Exit codes, the same in with-lock.sh, with_lock.py and with-lock.mjs:
  64   usage: the name or the command is missing, or LOCK_TTL is invalid
  69   the lock could not be acquired: the service is unavailable or rejected the request
  70   the lock was lost, and the command was ended
  75   another client holds the lock
  126  the command cannot be executed
  127  the command does not exist
  128 + n, if signal n (SIGHUP, SIGINT or SIGTERM) was sent to this program, or ended the command
Otherwise the exit code of the command.
"""

import contextlib
import http.client
import os
import re
import secrets
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

# In seconds, between a failed request and its repetition.
PAUSE = 1

# A request that fails, a response that is not HTTP, and an invalid URL or header.
FAILURES = (OSError, http.client.HTTPException, ValueError)
INVALID = (ValueError, http.client.InvalidURL)

LOST = 70


def start_of_body(response):
    """Returns the first 1000 bytes of the body as text, or fewer if it breaks off or is too slow.

    The body is only shown in a message, which contains the status in any case.
    """
    body = b""
    with contextlib.suppress(*FAILURES):
        while len(body) < 1000:
            part = response.read1(1000 - len(body))
            if not part:
                break
            body += part
    return body.decode(errors="replace")


@contextlib.contextmanager
def lock(name, ttl):
    """Holds a lock in a with statement, and raises one of FAILURES if it cannot be acquired.

    The value is a function that extends the lock, and returns whether the lock is still held.
    Call it a third of the ttl after the last request was sent. The second third is for retries,
    and the last one for the response to the last retry. Half a second of it is left to end
    the work.
    """
    base = os.environ.get("LOCK_URL") or "http://localhost:8080"
    path = urllib.parse.quote(os.fsencode(name), safe="")
    url = f"{base}/locks/{path}?ttl={ttl}s"
    headers = {
        # The client chooses the token, so that it can repeat a request whose response was lost.
        "Lock-Token": secrets.token_hex(),
    }
    key = os.environ.get("LOCK_API_KEY", "").strip()
    if key:
        headers["X-API-Key"] = key

    def stop_request(_number, _frame):
        raise TimeoutError(f"no response within {ttl / 3 - 0.5:.1f} s")

    # The timeout of urlopen would limit each step of a request, not the whole request.
    signal.signal(signal.SIGALRM, stop_request)

    # A redirection is not followed, since urllib only follows those of other methods: it would send
    # the key elsewhere.
    def send(method):
        signal.setitimer(signal.ITIMER_REAL, ttl / 3 - 0.5)
        try:
            request = urllib.request.Request(url, method=method, headers=headers)
            with urllib.request.urlopen(request) as response:
                return response.status
        except urllib.error.HTTPError as error:
            error.detail = start_of_body(error)
            raise
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def request(method):
        deadline = time.monotonic() + ttl / 3
        while True:
            try:
                return send(method)
            except FAILURES as error:
                # Only HTTP errors have a code. A failure without a response is treated as 503.
                unavailable = getattr(error, "code", 503) == 503
                repeat = unavailable and not isinstance(error, INVALID)
                if not repeat or time.monotonic() + PAUSE > deadline:
                    raise
            time.sleep(PAUSE)

    def extend():
        try:
            return request("PUT") == 200
        except FAILURES:
            return False

    try:
        request("PUT")
        yield extend
    finally:
        # Also after an error: the service may have granted the lock although the response was lost.
        with contextlib.suppress(*FAILURES):
            request("DELETE")


def start_watchdog(pid):
    """Starts a process that ends the command if this one is killed and cannot do so.

    The standard input of the watchdog is a pipe from this process, and ends with this process.
    """
    script = f"import os; os.read(0, 1) or os.kill({pid}, 15)"
    command = [sys.executable, "-c", script]
    try:
        return subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
    except OSError as error:
        print(f"No watchdog could be started: {error}", file=sys.stderr)
        return None


def run(name, command, ttl):
    """Runs the command under the lock, and returns the exit code."""
    process = None
    stopped = None

    def stop(number, _frame):
        nonlocal stopped
        stopped = 128 + number
        if process:
            process.terminate()
        else:
            sys.exit(stopped)

    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        # A signal that is ignored, as after nohup, stays ignored.
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, stop)

    # The ttl counts from the request, not from its response.
    sent = time.monotonic()
    with lock(name, ttl) as extend:
        try:
            process = subprocess.Popen(command)
        except OSError as error:
            print(error, file=sys.stderr)
            return 127 if isinstance(error, FileNotFoundError) else 126
        watchdog = start_watchdog(process.pid)
        while process.poll() is None:
            try:
                process.wait(max(0, sent + ttl / 3 - time.monotonic()))
            except subprocess.TimeoutExpired:
                sent = time.monotonic()
                if not extend():
                    print(f"The lock {name} is lost", file=sys.stderr)
                    stopped = stopped or LOST
                    process.terminate()
        if watchdog:
            watchdog.kill()
            watchdog.wait()
        code = process.returncode if stopped is None else stopped
    # A negative code is the number of the signal that ended the process.
    return code if code >= 0 else 128 - code


def main():
    name, *command = sys.argv[1:] or [""]
    if not name or not command or not command[0]:
        print("usage: with_lock.py <name> <command> [argument...]", file=sys.stderr)
        return 64

    ttl = os.environ.get("LOCK_TTL") or "30"
    if not re.fullmatch("[1-9][0-9]{0,4}", ttl) or not 3 <= int(ttl) <= 86400:
        reason = f"must be a whole number of seconds from 3 to 86400, not '{ttl}'"
        print(f"LOCK_TTL {reason}", file=sys.stderr)
        return 64

    try:
        return run(name, command, int(ttl))
    except urllib.error.HTTPError as error:
        if error.code == 409:
            print(f"The lock {name} is held by another client", file=sys.stderr)
            return 75
        reason = f"{error.code}: {error.detail}"
    except FAILURES as error:
        reason = error
    print(f"The lock {name} could not be acquired: {reason}", file=sys.stderr)
    return 69


if __name__ == "__main__":
    sys.exit(main())
