package io.github.lockstarter.key;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * The digests that are stored with a result.
 */
class FingerprintTests {

	@Test
	@DisplayName("With a secret key, the digest of a text that can be guessed is another one, and differs by the key")
	void secretKey() {
		String guessed = new Fingerprint(null).of("pin 1234");
		Fingerprint secret = new Fingerprint("0123456789abcdef");
		assertThat(secret.of("pin 1234")).isNotEqualTo(guessed)
			.isEqualTo(new Fingerprint("0123456789abcdef").of("pin 1234"))
			.isNotEqualTo(new Fingerprint("0123456789abcdeF").of("pin 1234"))
			.isNotEqualTo(secret.of("pin 1235"))
			.startsWith("hmac-sha256:")
			.doesNotContain("1234");
	}

	@Test
	@DisplayName("A secret key has at least 16 characters")
	void shortKey() {
		assertThatNoException().isThrownBy(() -> Fingerprint.checkKey(null));
		assertThatNoException().isThrownBy(() -> Fingerprint.checkKey("0123456789abcdef"));
		assertThatIllegalArgumentException().isThrownBy(() -> Fingerprint.checkKey("0123456789abcde"))
			.withMessageContaining("16 characters")
			.withMessageNotContaining("0123456789abcde");
	}

}
