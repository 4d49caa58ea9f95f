package io.github.lockstarter.published;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.github.lockstarter.testing.DocumentedCode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The store on the page about stores of one's own, in a project with {@code lock-core}
 * and {@code lock-store-test}.
 */
class OwnStoreTests {

	private static final Path PAGE = Path.of("..", "..", "docs", "own-store.md");

	private static final Pattern CLASS = Pattern.compile("^class (\\w+) .*", Pattern.MULTILINE | Pattern.DOTALL);

	@TempDir
	private Path sources;

	@TempDir
	private Path output;

	@Test
	@DisplayName("The store on the page passes its contract, and needs no other library than the page names")
	void passes() throws IOException {
		List<String> names = new ArrayList<>();
		List<Path> files = new ArrayList<>(SmallProject.sources("junit"));
		for (String code : DocumentedCode.blocks(PAGE)) {
			MatchResult type = CLASS.matcher(code).results().findFirst().orElseThrow();
			names.add(type.group(1));
			files.add(Files.writeString(this.sources.resolve(type.group(1) + ".java"), code));
		}
		assertThat(names).containsExactly("OwnLockStore", "OwnLockStoreTests");
		SmallProject project = SmallProject.of("own-store");
		SmallProject.compile(this.output, files.subList(files.size() - 2, files.size() - 1), project.jars("compile"));
		SmallProject.compile(this.output, files, project.jarsToTest());
		assertThat(project.runTests(this.output, "OwnLockStoreTests")).last()
			.asString()
			.matches("succeeded: (\\d\\d+) of \\1");
	}

	@Test
	@DisplayName("A complete store has fewer than 60 lines besides its imports")
	void isShort() throws IOException {
		String code = DocumentedCode.blocks(PAGE).get(0);
		assertThat(code.substring(code.indexOf("class OwnLockStore ")).lines()).hasSizeLessThan(60);
	}

}
