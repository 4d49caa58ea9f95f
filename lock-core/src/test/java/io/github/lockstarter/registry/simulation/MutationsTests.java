package io.github.lockstarter.registry.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that the patches for the script {@code mutate} apply to the current code.
 */
class MutationsTests {

	private static final Path PATCHES = Path.of("src", "test", "simulation", "mutations");

	@ParameterizedTest(name = "{0}")
	@MethodSource("patches")
	@DisplayName("Each mutation of the simulation applies to the current code at exactly one place")
	void fits(String name) throws IOException {
		List<Hunk> hunks = hunks(Files.readAllLines(PATCHES.resolve(name)));
		assertThat(hunks).as("%s contains no change: create it again", name).isNotEmpty();
		for (Hunk hunk : hunks) {
			List<String> code = Files.readAllLines(Path.of(hunk.file()));
			int first = Collections.indexOfSubList(code, hunk.lines());
			assertThat(first).as("""
					The code that %s changes is different now: these lines are not in %s.
					%s
					Make the change that the name describes in the current code, overwrite the patch with
					the output of `git diff -U2 --relative`, and revert the change. Then check that
					`src/test/simulation/mutate 300 %s` finds it.
					""", name, hunk.file(), String.join("\n", hunk.lines()), name.replace(".patch", ""))
				.isNotNegative();
			assertThat(Collections.lastIndexOfSubList(code, hunk.lines()))
				.as("%s applies to %s in more than one place: add lines of context", name, hunk.file())
				.isEqualTo(first);
		}
	}

	static Stream<String> patches() throws IOException {
		try (Stream<Path> files = Files.list(PATCHES)) {
			return files.map((file) -> file.getFileName().toString()).sorted().toList().stream();
		}
	}

	private static List<Hunk> hunks(List<String> patch) {
		List<Hunk> hunks = new ArrayList<>();
		String file = "";
		for (String line : patch) {
			if (line.startsWith("--- a/")) {
				file = line.substring("--- a/".length());
			}
			else if (line.startsWith("@@ ")) {
				hunks.add(new Hunk(file, new ArrayList<>()));
			}
			else if (!hunks.isEmpty() && (line.startsWith(" ") || line.startsWith("-"))) {
				hunks.get(hunks.size() - 1).lines().add(line.substring(1));
			}
		}
		return hunks;
	}

	/**
	 * One change of a file.
	 *
	 * @param lines the lines before the change: context and removed lines
	 */
	private record Hunk(String file, List<String> lines) {
	}

}
