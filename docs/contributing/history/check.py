#!/usr/bin/env python3
"""check.py <file>... reads the histories of processes that took locks, and exits with 1 if they show a broken promise.

Each process has a file: one.2.log is that of the second process of the worker "one". Each line is

    <before> <after> <event> [<word>...]

where the event happened between these two instants, in nanoseconds of a clock that all processes of the machine share:

    granted <lease> <key> <token>    an acquire was answered with a lease, and its fencing token
    held <lease>, not-held <lease>   the lease was asked whether it is held
    released <lease>                 the lease was released
    rejected <key>, unknown <key> <error>   an acquire was answered with "somebody else holds it", or with an error
    fault <kind> <target>            a fault began at the first instant, and was over at the second
    clock <process> <time>           what the process read on its clock, so that it is seen to be the same clock
    stopped                          the last line of a process that has answered everybody and was not killed
"""
import bisect, collections, pathlib, sys

BOUND = 60  # Seconds after a fault within which every key is granted again, and every worker gets a grant again.


class Lease:
    def __init__(self, line, asked, answered, key, token):
        self.line, self.asked, self.answered, self.key, self.token = line, asked, answered, key, int(token)
        self.since = self.until = None  # It was certainly held from no later than "since" to no earlier than "until".
        self.first = self.last = None  # The lines that show it.
        self.over = self.released = False


violations, grants, faults, clocks, events = [], [], [], {}, collections.Counter()
leases, stopped, instants = collections.defaultdict(dict), set(), []


def violation(text, *lines):
    violations.append("\n    ".join([text, *lines]))


def read(path):
    process = path.name.removesuffix(".log")
    own = leases[process]
    text = path.read_text()
    for number, content in enumerate(text[:text.rfind("\n") + 1].splitlines(), 1):  # A killed process may leave half a line.
        line = f"{path.name}:{number}: {content}"
        try:
            before, after, event, *words = content.split()
            before, after = int(before), int(after)
            if before > after: violation("time goes back", line)
            if event == "granted":
                lease = Lease(line, before, after, *words[1:])
                if own.setdefault(words[0], lease) is not lease: violation("a lease was granted twice", own[words[0]].line, line)
                grants.append((after, lease.key, process.split(".")[0]))
            elif event == "held":
                lease = own[words[0]]
                if lease.over: violation("a lease was held after its end", lease.line, line)
                if lease.since is None: lease.since, lease.first = after, line
                lease.until, lease.last = before, line
            elif event == "not-held":
                events["leases lost"] += not own[words[0]].over
                own[words[0]].over = True
            elif event == "released":
                own[words[0]].over = own[words[0]].released = True
            elif event == "fault":
                faults.append((after, *words, line))
            elif event == "clock":
                clocks[words[0]] = True
                if not before <= int(words[1]) <= after: violation("a process has another clock", line)
            elif event == "stopped":
                stopped.add(process)
            elif event not in ("rejected", "unknown"):
                raise ValueError(event)
            events[event] += 1
            instants.extend((before, after))
        except (ValueError, KeyError, IndexError, TypeError):
            violation("not a history", line)


def check_exclusion_and_tokens(key):
    """Of two leases, the one with the smaller token must be the earlier one, wherever the history tells which one that is."""
    previous = seen = asked = None  # Of the leases with smaller tokens: the last one, that which was seen held last, and that which was asked for last.
    for lease in sorted((lease for own in leases.values() for lease in own.values() if lease.key == key), key=lambda lease: lease.token):
        if asked and lease.answered < asked.asked:
            violation(f"{key}: a later grant has a smaller token", lease.line, asked.line)
        if previous and lease.token == previous.token:
            violation(f"{key}: two grants have one token", previous.line, lease.line)
        if seen and lease.since is not None and lease.since < seen.until:
            both = seen.since < lease.until
            violation(f"{key}: two leases were held at once" if both else f"{key}: a later holder has a smaller token",
                      seen.line, seen.first, seen.last, lease.line, lease.first, lease.last)
        previous = lease
        if not asked or lease.asked > asked.asked: asked = lease
        if lease.since is not None and (not seen or lease.until > seen.until): seen = lease


def check_ends(process):
    """Whoever was not killed has answered everybody, and has released what it was granted."""
    if any(kind == "kill-worker" and target == process for _, kind, target, _ in faults): return
    if process not in stopped: violation(f"{process} was not killed, and did not end as it should")
    for lease in leases[process].values():
        if not lease.released: violation(f"{lease.key}: a grant has no end", lease.line)


def check_progress(subject, times):
    for over, kind, target, line in faults:
        next_grant = bisect.bisect_left(times, over)
        if next_grant == len(times) or times[next_grant] - over > BOUND * 1e9:
            violation(f"{subject}: no grant within {BOUND} s after a fault", line)


def longest_gap(times):
    return max((later - earlier for earlier, later in zip(times, times[1:])), default=0) / 1e9


for name in sys.argv[1:]: read(pathlib.Path(name))
grants.sort()
keys, workers = ({grant[place] for grant in grants} for place in (1, 2))
by_subject = {subject: [time for time, *subjects in grants if subject in subjects] for subject in keys | workers}
for key in sorted(keys): check_exclusion_and_tokens(key)
for process in sorted(leases): check_ends(process)
for process in sorted(leases):
    if leases[process] and process not in clocks: violation(f"{process} was not asked for its clock")
for subject in sorted(by_subject): check_progress(subject, by_subject[subject])
if not grants: violation("nothing was granted")

seconds = (max(instants) - min(instants)) / 1e9 if instants else 0
print(f"{len(grants)} grants of {len(keys)} keys to {len(workers)} workers in {seconds:.0f} s; seen held {events['held']} times;",
      f"{events['leases lost']} leases lost, {events['rejected']} rejections, {events['unknown']} errors")
print(f"{len(faults)} faults:", ", ".join(f"{count} {kind}" for kind, count in sorted(collections.Counter(fault[1] for fault in faults).items())))
print(f"longest time without a grant: {longest_gap([grant[0] for grant in grants]):.2f} s of any key,",
      f"{max((longest_gap(by_subject[key]) for key in keys), default=0):.2f} s of one key")
print(f"{len(violations)} violations", *violations[:20], sep="\n")
sys.exit(1 if violations else 0)
