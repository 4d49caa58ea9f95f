#!/usr/bin/env python3
"""Measures how long the sample takes to start, without and with class-data sharing (CDS) and an AOT cache.

    mvn -q -DskipTests package
    JAVA_HOME=... python3 benchmarks/startup/caches.py [--rounds 10]

A start begins with the JVM and ends when the application is ready. Each round starts all variants once, in another order;
a ratio is to the fat jar in the same round, and less is better. Prints Markdown: the median of the ratios, their
quartiles, and the size of the cache. The Redis is the script's own. Needs redis-server on the PATH, and JDK 25 or newer
for the AOT cache; without it, only CDS is measured. Leave the machine alone meanwhile.
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
import time

JAR = pathlib.Path(__file__).resolve().parents[2] / "sample-app/target/sample-app.jar"
READY = "Started SampleApplication"
PATIENCE = 600


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Sample:
    def __init__(self, java, folder, redis_port):
        self.java = java
        self.folder = folder
        self.environment = {**os.environ, "SPRING_DATA_REDIS_PORT": str(redis_port), "SERVER_PORT": "0"}
        # The database of the sample is there.
        self.options = [f"-Djava.io.tmpdir={folder}"]

    def run(self, *arguments):
        return subprocess.run([self.java, *self.options, *arguments], cwd=self.folder, env=self.environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True,
                              timeout=PATIENCE).stdout

    def seconds_to_start(self, arguments):
        begin = time.monotonic()
        with subprocess.Popen([self.java, *self.options, *arguments], cwd=self.folder, env=self.environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            lines = []
            try:
                for line in process.stdout:
                    lines.append(line)
                    if READY in line:
                        return time.monotonic() - begin
            finally:
                process.terminate()
                process.communicate(timeout=PATIENCE)
        sys.exit("The sample did not start:\n" + "".join(lines))


def variants(sample, version):
    """Returns the arguments of each variant, and the file of its cache. The caches are made here."""
    extracted = ["-jar", "application/sample-app.jar"]
    sample.run("-Djarmode=tools", "-jar", str(JAR), "extract", "--destination", "application")
    found = {"fat jar": (["-jar", str(JAR)], None), "extracted": (extracted, None)}
    for processing, options in {"": [], " + AOT processing": ["-Dspring.aot.enabled=true"]}.items():
        found["extracted" + processing] = (options + extracted, None)
        training = [*options, "-Dspring.context.exit=onRefresh", *extracted]
        cds = sample.folder / f"{len(options)}.jsa"
        sample.run(f"-XX:ArchiveClassesAtExit={cds}", *training)
        # With "on", a cache that cannot be used stops the start.
        found[f"extracted{processing} + CDS"] = ([f"-XX:SharedArchiveFile={cds}", "-Xshare:on", *options, *extracted], cds)
        if version >= 25:
            aot = sample.folder / f"{len(options)}.aot"
            sample.run(f"-XX:AOTCacheOutput={aot}", *training)
            found[f"extracted{processing} + AOT cache"] = ([f"-XX:AOTCache={aot}", "-XX:AOTMode=on", *options, *extracted],
                                                          aot)
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
    print("| variant | start, of the fat jar's (less is better) | cache, MB |\n|---|---|---|")
    for name, taken in seconds.items():
        ratios = [one / other for one, other in zip(taken, base)]
        low, middle, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
        cache = found[name][1]
        size = f"{cache.stat().st_size / 1e6:.0f}" if cache else "–"
        print(f"| {name} | {middle:.2f} ({low:.2f}–{high:.2f}) | {size} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    home = os.environ.get("JAVA_HOME")
    parser.add_argument("--java", default=f"{home}/bin/java" if home else "java")
    parser.add_argument("--rounds", type=int, default=10)
    arguments = parser.parse_args()
    if not JAR.exists():
        sys.exit(f"{JAR} is missing: mvn -q -DskipTests package")
    text = subprocess.run([arguments.java, "-version"], stderr=subprocess.PIPE, text=True, check=True).stderr
    version = int(re.search(r'version "(\d+)', text).group(1))
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        redis = subprocess.Popen(["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""],
                                 cwd=folder, stdout=subprocess.DEVNULL)
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
