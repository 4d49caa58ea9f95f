package io.github.lockstarter.store.redis;

import java.util.regex.Pattern;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import static org.assertj.core.api.Assertions.assertThat;

class ScriptTests {

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = { "ACQUIRE_ALL", "ACQUIRE_ALL_WITHOUT_MEMORY", "BATCH", "RENEW" })
	@DisplayName("Scripts pass the checks of managed servers: keys are numbered KEYS, and commands are literals")
	void passesChecks(Script script) {
		String text = script.text();
		assertThat(text).doesNotContain("unpack").doesNotContainPattern("KEYS(?!\\[[1-4]\\])");
		assertThat(Pattern.compile("redis\\.").matcher(text).results().count())
			.as("commands that are called by their names, with a key if they need one")
			.isEqualTo(Pattern.compile("redis\\.p?call\\('(time'\\)|publish', |\\w+', KEYS\\[\\d\\][,)])")
				.matcher(text)
				.results()
				.count());
	}

}
