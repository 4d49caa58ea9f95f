#!/usr/bin/env python3
"""Measures the start of the sample without and with class-data sharing (CDS) and an AOT cache.

    mvn -q -DskipTests package
    JAVA_HOME=... python3 benchmarks/startup/caches.py [--rounds 10]

A start begins with the JVM and ends when the application is ready. Each round starts all variants
once, in another order. A ratio is to the start of the fat jar in the same round, and less is
better. Prints Markdown: the median of the ratios, their quartiles, and the size of the cache. The
Redis is the script's own. Needs redis-server on the PATH, and JDK 25 or newer for the AOT cache;
with an older JDK, only CDS is measured. Do not use the machine for anything else during the run.
"""
import argparse
import os
import pathlib
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

JAR = pathlib.Path(__file__).resolve().parents[2] / "sample-app/target/sample-app.jar"
READY = "Started SampleApplication"
PATIENCE = 600


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start_redis(port, folder):
    redis = subprocess.Popen(["redis-server", "--port", str(port), "--bind", "127.0.0.1",
                              "--save", ""], cwd=folder, stdout=subprocess.DEVNULL)
    end = time.monotonic() + 30
    while redis.poll() is None and time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return redis
        except OSError:
            time.sleep(0.1)
    redis.kill()
    sys.exit("redis-server did not start")


class Sample:
    def __init__(self, java, folder, redis_port):
        self.java = java
        self.folder = folder
        self.environment = {**os.environ, "SPRING_DATA_REDIS_PORT": str(redis_port),
                            "SERVER_PORT": "0"}
        # The database of the sample is there.
        self.options = [f"-Djava.io.tmpdir={folder}"]

    def run(self, *arguments):
        subprocess.run([self.java, *self.options, *arguments], cwd=self.folder,
                       env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       check=True, timeout=PATIENCE)

    def seconds_to_start(self, arguments):
        begin = time.monotonic()
        with subprocess.Popen([self.java, *self.options, *arguments], cwd=self.folder,
                              env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True) as process:
            lines = []
            # Ends the loop below if the sample hangs.
            limit = threading.Timer(PATIENCE, process.kill)
            limit.start()
            try:
                for line in process.stdout:
                    lines.append(line)
                    if READY in line:
                        return time.monotonic() - begin
            finally:
                limit.cancel()
                process.terminate()
                process.communicate(timeout=PATIENCE)
        sys.exit("The sample did not start:\n" + "".join(lines))


def variants(sample, version):
    """Makes the caches. Returns the arguments of each variant, and the file of its cache."""
    extracted = ["-jar", "application/sample-app.jar"]
    sample.run("-Djarmode=tools", "-jar", str(JAR), "extract", "--destination", "application")
    found = {"fat jar": (["-jar", str(JAR)], None), "extracted": (extracted, None)}
    for processing, options in {"": [], " + AOT processing": ["-Dspring.aot.enabled=true"]}.items():
        name = "extracted" + processing
        file = name.replace(" + ", "-").replace(" ", "-")
        found[name] = (options + extracted, None)
        training = [*options, "-Dspring.context.exit=onRefresh", *extracted]
        cds = sample.folder / f"{file}.jsa"
        sample.run(f"-XX:ArchiveClassesAtExit={cds}", *training)
        # With "on", a cache that cannot be used stops the start.
        use = [f"-XX:SharedArchiveFile={cds}", "-Xshare:on"]
        found[f"{name} + CDS"] = ([*use, *options, *extracted], cds)
        if version >= 25:
            aot = sample.folder / f"{file}.aot"
            sample.run(f"-XX:AOTCacheOutput={aot}", *training)
            use = [f"-XX:AOTCache={aot}", "-XX:AOTMode=on"]
            found[f"{name} + AOT cache"] = ([*use, *options, *extracted], aot)
    return found


def measure(sample, found, rounds):
    seconds = {name: [] for name in found}
    for number in range(-1, rounds):
        for name in random.sample(list(found), len(found)):
            taken = sample.seconds_to_start(found[name][0])
            # The first round only warms up the files.
            if number >= 0:
                seconds[name].append(taken)
    return seconds


def show(found, seconds):
    base = seconds["fat jar"]
    print(f"The fat jar took {statistics.median(base) * 1000:,.0f} ms.\n")
    print("| variant | start time / that of the fat jar ↓ | cache, MB ↓ |\n|---|---|---|")
    for name, taken in seconds.items():
        ratios = [one / other for one, other in zip(taken, base)]
        low, middle, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
        cache = found[name][1]
        size = f"{cache.stat().st_size / 1e6:.0f}" if cache else "–"
        print(f"| {name} | {middle:.2f} ({low:.2f}–{high:.2f}) | {size} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    home = os.environ.get("JAVA_HOME")
    parser.add_argument("--java", default=f"{home}/bin/java" if home else "java")
    parser.add_argument("--rounds", type=int, default=10)
    arguments = parser.parse_args()
    if not JAR.exists():
        sys.exit(f"{JAR} is missing: mvn -q -DskipTests package")
    java = subprocess.run([arguments.java, "-version"], stderr=subprocess.PIPE, text=True,
                          check=True)
    version = int(re.search(r'version "(\d+)', java.stderr).group(1))
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        redis = start_redis(port, folder)
        try:
            sample = Sample(arguments.java, pathlib.Path(folder), port)
            found = variants(sample, version)
            seconds = measure(sample, found, arguments.rounds)
        finally:
            redis.terminate()
            redis.wait()
        print(f"JDK {version}, {arguments.rounds} rounds.", end=" ")
        show(found, seconds)


if __name__ == "__main__":
    main()
