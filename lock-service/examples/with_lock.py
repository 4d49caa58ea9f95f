#!/usr/bin/env python3
"""with_lock.py <name> <command> [argument...] exits as the command does, with 75 if the name is locked, with 69 if there is another reason."""
import contextlib, os, secrets, signal, subprocess, sys, time, urllib.parse, urllib.request
THIRD = int(os.environ.get("LOCK_TTL", 30)) / 3  # One until we extend, one to try again, one for the last try: then the lock has expired.
@contextlib.contextmanager
def lock(name):  # Gives a function to call after every third, which extends the lock, and tells whether it was held all the time.
    url = f"{os.environ.get('LOCK_URL', 'http://localhost:8080')}/locks/{urllib.parse.quote(os.fsencode(name), '')}?ttl={THIRD * 3:.0f}s"
    headers = {"X-API-Key": os.environ.get("LOCK_API_KEY", ""), "Lock-Token": secrets.token_hex()}  # Ours: a lost answer is asked for again.
    def ask(method):
        end = time.monotonic() + THIRD
        while True:
            try: return urllib.request.urlopen(urllib.request.Request(url, method=method, headers=headers), timeout=THIRD).status
            except OSError as error:  # It has a code if it is an answer.
                if getattr(error, "code", 503) != 503 or time.monotonic() > end: return error
            time.sleep(1)
    try:
        if isinstance(answer := ask("PUT"), OSError): raise answer
        yield lambda: ask("PUT") == 200
    finally: ask("DELETE")
if __name__ == "__main__":
    process = None if sys.argv[2:] else sys.exit("usage: with_lock.py <name> <command> [argument...]")
    for each in (signal.SIGINT, signal.SIGTERM): signal.signal(each, lambda number, _: process.terminate() if process else sys.exit(128 + number))
    try:
        with lock(sys.argv[1]) as extend, subprocess.Popen(sys.argv[2:]) as process, subprocess.Popen([sys.executable, "-c", f"import os; os.read(0, 1) or os.kill({process.pid}, 15)"], stdin=subprocess.PIPE, start_new_session=True) as guard:  # Its input ends if we are killed.
            while process.poll() is None:
                try: process.wait(THIRD)
                except subprocess.TimeoutExpired: extend() or process.terminate()
            guard.kill(); sys.exit(process.returncode if process.returncode >= 0 else 128 - process.returncode)
    except OSError as error: print("No lock:", error, error.read().decode() if hasattr(error, "read") else "", file=sys.stderr); sys.exit(75 if getattr(error, "code", 0) == 409 else 69)
