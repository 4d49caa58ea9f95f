package io.github.lockstarter.benchmarks.workload;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.springframework.boot.system.ApplicationHome;

/**
 * The class path of an application of the other module.
 *
 * @param jars all its jars, its own first
 */
record ClassPath(List<Path> jars) {

	/** The class path with only Spring MVC. */
	static final String WITHOUT_STARTER = "without-starter";

	/** Returns the class path that the build has written under this name. */
	static ClassPath read(String name) throws IOException {
		Path directory = new ApplicationHome(ClassPath.class).getDir()
			.toPath()
			.resolveSibling(Path.of("startup", "target"));
		Path file = directory.resolve(name + ".classpath");
		if (!Files.exists(file)) {
			throw new IllegalStateException("There is no %s; build it with mvn -q -DskipTests package".formatted(file));
		}
		Stream<Path> libraries = Stream.of(Files.readString(file).strip().split(File.pathSeparator)).map(Path::of);
		return new ClassPath(Stream.concat(Stream.of(directory.resolve("startup.jar")), libraries).toList());
	}

	double megabytes() throws IOException {
		long bytes = 0;
		for (Path jar : this.jars) {
			bytes += Files.size(jar);
		}
		return bytes / 1e6;
	}

	@Override
	public String toString() {
		return String.join(File.pathSeparator, this.jars.stream().map(Path::toString).toList());
	}

}
