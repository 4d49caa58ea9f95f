package io.github.lockstarter.registry.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * An error in the engine, or in the model of its environment, that the simulation has to
 * find. It is written in a file as one or more replacements:
 *
 * <pre>
 * SimulatedServer#release
 * - holder == null || !holder.owner().equals(owner)
 * + holder == null
 * </pre>
 *
 * The first line is a method, a constructor or a field, as in a link in Javadoc. The
 * types of parameters, and a package, are only given where there are several. The lines
 * that begin with {@code -} are code that occurs there exactly once, apart from white
 * space and comments. The lines that begin with {@code +}, if any, replace it.
 *
 * @param name what the error is
 */
record Mutation(String name, List<Replacement> replacements) {

	private static final Path FOLDER = Path.of("src", "test", "simulation", "mutations");

	private static final String EXTENSION = ".txt";

	/** Returns the names of all mutations. */
	static List<String> names() throws IOException {
		try (Stream<Path> files = Files.list(FOLDER)) {
			return files.map((file) -> file.getFileName().toString().replace(EXTENSION, "")).sorted().toList();
		}
	}

	static Mutation named(String name) throws IOException {
		return parse(name, Files.readAllLines(FOLDER.resolve(name + EXTENSION)));
	}

	static Mutation parse(String name, List<String> lines) {
		List<Replacement> replacements = new ArrayList<>();
		Replacement current = null;
		for (String line : lines) {
			boolean removes = line.startsWith("-");
			if (!removes && !line.startsWith("+")) {
				current = line.isBlank() ? current : begin(line.strip(), replacements);
				continue;
			}
			if (current != null && removes && !current.added().isEmpty()) {
				current = begin(current.place(), replacements);
			}
			if (current == null || (!removes && current.removed().isEmpty())) {
				throw new IllegalArgumentException(
						"%s: a place and the code to replace have to come before '%s'".formatted(name, line));
			}
			(removes ? current.removed() : current.added()).add(line.substring(1));
		}
		return new Mutation(name, replacements);
	}

	private static Replacement begin(String place, List<Replacement> replacements) {
		Replacement replacement = new Replacement(place, new ArrayList<>(), new ArrayList<>());
		replacements.add(replacement);
		return replacement;
	}

	/**
	 * Returns the files with the error, by their paths in the module.
	 * @throws IllegalArgumentException if the mutation does not fit the code
	 */
	Map<Path, String> apply(Path module) {
		SourceCode code = new SourceCode(module);
		try {
			for (Replacement each : this.replacements) {
				code.replace(each.place(), text(each.removed()), text(each.added()));
			}
			return code.changed();
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("""
					%s does not fit the code any more.
					%s

					Change %s so that it makes the error that its name describes.
					Then check that `src/test/simulation/mutate 300 %s` finds it.
					""".formatted(this.name, ex.getMessage(), FOLDER.resolve(this.name + EXTENSION), this.name), ex);
		}
	}

	private static String text(List<String> lines) {
		return String.join("\n", lines).strip();
	}

	/**
	 * Writes the files with the error, from the working directory to another one.
	 * @param args the name of the mutation, and the other directory
	 */
	public static void main(String[] args) throws IOException {
		for (Map.Entry<Path, String> changed : named(args[0]).apply(Path.of("")).entrySet()) {
			Path file = Path.of(args[1]).resolve(changed.getKey());
			Files.createDirectories(file.getParent());
			Files.writeString(file, changed.getValue());
		}
	}

	/**
	 * A change at one place.
	 *
	 * @param place a method, a constructor or a field
	 * @param removed the lines of the code that is replaced
	 * @param added the lines of the code that is written instead
	 */
	record Replacement(String place, List<String> removed, List<String> added) {
	}

}
