package io.github.lockstarter.published;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import io.github.lockstarter.testing.TestJvm;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A project in {@code projects}, with the class paths that Maven has found for it.
 */
final class SmallProject {

	private static final Path SOURCES = Path.of("src", "test", "projects");

	private static final Pattern JUNIT = Pattern
		.compile("junit-(jupiter|platform)-(api|engine|params|commons|launcher)|opentest4j|apiguardian.*");

	private final Path target;

	private SmallProject(Path target) {
		this.target = target;
	}

	static SmallProject of(String name) {
		return new SmallProject(Path.of("projects", name, "target"));
	}

	/** Returns the jars in a scope. */
	List<Path> jars(String scope) {
		try {
			String classPath = Files.readString(this.target.resolve(scope + ".classpath"));
			return Stream.of(classPath.split(File.pathSeparator)).map(Path::of).toList();
		}
		catch (IOException ex) {
			throw new IllegalStateException("The projects have not been built: run 'mvn verify'", ex);
		}
	}

	/** Returns the jars to test with: those of the project, and what a build adds. */
	List<Path> jarsToTest() {
		String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
		Stream<Path> junit = Stream.of(classPath.split(File.pathSeparator))
			.map(Path::of)
			.filter((jar) -> JUNIT.matcher(artifact(jar)).matches());
		return Stream.concat(jars("test").stream(), junit).toList();
	}

	/** Returns the names of the jars at run time, without their versions. */
	List<String> artifacts() {
		return jars("runtime").stream().map(SmallProject::artifact).toList();
	}

	static String artifact(Path jar) {
		return jar.getFileName().toString().replaceFirst("-\\d.*", "");
	}

	/** Returns the source files in a folder. */
	static List<Path> sources(String folder) {
		try (Stream<Path> files = Files.list(SOURCES.resolve(folder))) {
			return files.toList();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Compiles main code. A warning is a failure. */
	void compile(Path output, String folder) {
		compile(output, sources(folder), jars("compile"));
	}

	static void compile(Path output, List<Path> sources, List<Path> jars) {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		StringWriter messages = new StringWriter();
		try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
			List<String> options = List.of("-d", output.toString(), "-cp", join(jars), "-parameters", "-proc:none",
					"-Xlint:all,-classfile", "-Werror");
			boolean compiled = compiler
				.getTask(messages, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
				.call();
			assertThat(compiled).as("%s", messages).isTrue();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Runs what was compiled, and returns its output. */
	List<String> run(Path output, List<String> options, String main, Object... args) {
		List<Path> classPath = new ArrayList<>(List.of(output));
		classPath.addAll(jars("runtime"));
		return run(classPath, options, main, args);
	}

	/** Runs tests that were compiled together with {@code RunTests}. */
	List<String> runTests(Path output, String tests) {
		List<Path> classPath = new ArrayList<>(List.of(output));
		classPath.addAll(jarsToTest());
		return run(classPath, List.of(), "RunTests", tests);
	}

	static List<String> run(List<Path> classPath, List<String> options, String main, Object... args) {
		List<String> all = new ArrayList<>(List.of("-cp", join(classPath)));
		all.addAll(options);
		try (TestJvm jvm = TestJvm.start(all, main, args)) {
			int exitCode = jvm.awaitEnd();
			assertThat(exitCode).as("%s", String.join("\n", jvm.output())).isZero();
			return jvm.output();
		}
	}

	static String join(List<Path> paths) {
		return String.join(File.pathSeparator, paths.stream().map(Path::toString).toList());
	}

}
