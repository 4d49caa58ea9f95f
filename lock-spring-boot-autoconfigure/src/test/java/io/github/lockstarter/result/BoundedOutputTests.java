package io.github.lockstarter.result;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class BoundedOutputTests {

	private final BoundedOutput output = new BoundedOutput(4);

	@Test
	@DisplayName("An output takes as many bytes of UTF-8 as its limit, and not one more")
	void limit() {
		this.output.write("1€");
		assertThat(this.output.isExceeded()).isFalse();
		assertThatIllegalStateException().isThrownBy(() -> this.output.write('2'));
		assertThat(this.output.isExceeded()).isTrue();
		assertThat(this.output).hasToString("1€");
	}

	@Test
	@DisplayName("What does not fit is not written in part")
	void notInPart() {
		assertThatIllegalStateException().isThrownBy(() -> this.output.write("12345"));
		assertThat(this.output).hasToString("");
	}

	@Test
	@DisplayName("A part of an array counts with its own length")
	void partOfArray() {
		this.output.write("123456".getBytes(StandardCharsets.UTF_8), 1, 4);
		assertThat(this.output).hasToString("2345");
	}

	@Test
	@DisplayName("After the limit was exceeded, nothing is written, although it would fit")
	void afterwards() {
		assertThatIllegalStateException().isThrownBy(() -> this.output.write("12345"));
		assertThatIllegalStateException().isThrownBy(() -> this.output.write("1"));
		assertThat(this.output).hasToString("");
	}

	@Test
	@DisplayName("The rest has the limit that remains, and is appended")
	void rest() {
		this.output.write("1");
		BoundedOutput rest = this.output.rest();
		rest.write("234");
		assertThat(this.output).hasToString("1");
		this.output.write(rest);
		assertThat(this.output).hasToString("1234");
		assertThat(this.output.isExceeded()).isFalse();
	}

	@Test
	@DisplayName("An output whose rest was exceeded is exceeded")
	void exceededRest() {
		this.output.write("1");
		BoundedOutput rest = this.output.rest();
		assertThatIllegalStateException().isThrownBy(() -> rest.write("2345"));
		assertThat(this.output.isExceeded()).isFalse();
		this.output.write(rest);
		assertThat(this.output.isExceeded()).isTrue();
	}

}
