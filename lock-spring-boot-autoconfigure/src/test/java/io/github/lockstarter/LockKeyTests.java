package io.github.lockstarter;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class LockKeyTests {

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "a:b", "a\nb", "a\0b", "a\uD800" })
	@DisplayName("A name that could be taken for a name and a key is refused")
	void refusesNames(String name) {
		assertThatIllegalArgumentException().isThrownBy(() -> new LockKey(name, "k"));
	}

	@Test
	@DisplayName("A short, printable key is stored as it is")
	void plain() {
		assertThat(new LockKey("n", "tarō@example.com").storeForm(200)).isEqualTo("tarō@example.com");
	}

	@ParameterizedTest
	@ValueSource(strings = { "a\0", "a\r\n", "\uD800", "sha256:abc" })
	@DisplayName("A key that does not print, or looks like a digest, is stored as its digest")
	void digested(String key) {
		assertThat(new LockKey("n", key).storeForm(200)).matches("sha256:[0-9a-f]{64}");
	}

	@Test
	@DisplayName("The limit on the length counts bytes, not characters")
	void countsBytes() {
		assertThat(new LockKey("n", "é".repeat(100)).storeForm(200)).hasSize(100);
		assertThat(new LockKey("n", "é".repeat(101)).storeForm(200)).startsWith("sha256:");
	}

	@Test
	@DisplayName("The text of a lock key does not show the key")
	void toStringHidesKey() {
		assertThat(new LockKey("n", "secret")).asString().isEqualTo("LockKey[n]");
	}

}
