package io.github.lockstarter.result;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockstarter.result.ResultHead.ResultKind;
import io.github.lockstarter.result.SharedResult.Response;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatRuntimeException;

class ResultTextTests {

	private static final ResponseHead CREATED = new ResponseHead(201,
			Map.of("Content-Type", List.of("text/plain"), "Link", List.of("</a>", "</b>")));

	@ParameterizedTest
	@ValueSource(strings = { "", "plain", "Grüße, 東京 🗼", "one\ntwo\r\n\tthree\n", "\n", "null", "\u2028" })
	@DisplayName("A body that is text is stored as it is, and read as the same bytes")
	void text(String body) {
		Response response = Response.withBody(CREATED, body.getBytes(StandardCharsets.UTF_8));
		String written = write(response);
		assertThat(written).endsWith("\n" + body + "\n");
		ResultText read = ResultText.parse(written);
		assertThat(read.head().kind()).isEqualTo(ResultKind.TEXT);
		assertThat(read.head().fingerprint()).isEqualTo("print");
		assertThat(read.response()).isEqualTo(response);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0x00, 0x08, 0x1f, 0x80, 0xc3, 0xff })
	@DisplayName("A body that is not text, or has characters that not every store keeps, is read as the same bytes")
	void binary(int unusual) {
		byte[] body = { 'a', (byte) unusual, 'b', '\n' };
		Response response = Response.withBody(CREATED, body);
		ResultText read = ResultText.parse(write(response));
		assertThat(read.head().kind()).isEqualTo(ResultKind.BINARY);
		assertThat(read.response()).isEqualTo(response);
		assertThat(read.response().bytes()).isEqualTo(body);
	}

	@Test
	@DisplayName("A response that the error page writes has a status and a message, and no body")
	void errorPage() {
		Response response = Response.byErrorPage(402, "Card \"x\"\ndeclined");
		assertThat(ResultText.parse(write(response)).response()).isEqualTo(response);
		assertThat(ResultText.parse(write(Response.byErrorPage(402, null))).response().bytes()).isNull();
	}

	@Test
	@DisplayName("The text that stands for a result that is not kept has the fingerprint of its call, and is no response")
	void unavailable() {
		ResultText read = ResultText.parse(ResultText.unavailable("print"));
		assertThat(read.head().kind()).isEqualTo(ResultKind.UNAVAILABLE);
		assertThat(read.head().fingerprint()).isEqualTo("print");
		assertThatIllegalStateException().isThrownBy(read::response);
	}

	@Test
	@DisplayName("A text that has lost its end, wherever it was cut, is not read as another response")
	void truncated() {
		String written = write(Response.withBody(CREATED, "one\ntwo".getBytes(StandardCharsets.UTF_8)));
		IntStream.range(0, written.length())
			.forEach((end) -> assertThatRuntimeException().as("The first %d characters", end)
				.isThrownBy(() -> ResultText.parse(written.substring(0, end)).response()));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "\n", "\n\n", "garbage", "garbage\n", "garbage\nbody\n", "null\nbody\n", "[]\nbody\n",
			"{}\nbody\n", "{\"kind\":\"TEXT\"}\nbody\n", "{\"kind\":\"TEXT\",\"fingerprint\":\"\"}\nbody\n",
			"{\"kind\":\"OTHER\",\"length\":4,\"fingerprint\":\"\",\"head\":{\"status\":200,\"headers\":{}}}\nbody\n",
			"{\"kind\":\"TEXT\",\"length\":4,\"fingerprint\":\"\",\"head\":{\"headers\":{}}}\nbody\n",
			"{\"kind\":\"TEXT\",\"length\":4,\"fingerprint\":\"\",\"head\":{\"status\":200}}\nbody\n",
			"{\"kind\":\"TEXT\",\"fingerprint\":\"\",\"head\":{\"status\":200,\"headers\":{}}}\nbody\n",
			"{\"kind\":\"BINARY\",\"fingerprint\":\"\",\"head\":{\"status\":200,\"headers\":{}}}\n?\n",
			"{\"kind\":\"VALUE\",\"fingerprint\":\"\",\"head\":{\"status\":200,\"headers\":{}}}\n1\n" })
	@DisplayName("A text that is not one of a response is rejected")
	void garbage(String text) {
		assertThatRuntimeException().isThrownBy(() -> ResultText.parse(text).response());
	}

	@Test
	@DisplayName("Headers that are not allowed are dropped when a response is read, whoever has written it")
	void headersOfStore() {
		String forged = """
				{"kind":"TEXT","length":4,"fingerprint":"","head":{"status":200,"headers":{"Set-Cookie":["SID=1"],"ETag":["1"]}}}
				body
				""";
		assertThat(ResultText.parse(forged).response().head())
			.isEqualTo(new ResponseHead(200, Map.of("ETag", List.of("1"))));
	}

	@Test
	@DisplayName("A response that exceeds the limit with its end is rejected")
	void limit() {
		Response response = Response.withBody(CREATED, "body".getBytes(StandardCharsets.UTF_8));
		int size = write(response).length();
		BoundedOutput enough = new BoundedOutput(size);
		ResultText.write("print", response, enough);
		assertThat(enough).hasToString(write(response));
		BoundedOutput small = new BoundedOutput(size - 1);
		assertThatIllegalStateException().isThrownBy(() -> ResultText.write("print", response, small));
	}

	private static String write(Response response) {
		BoundedOutput output = new BoundedOutput(10_000);
		ResultText.write("print", response, output);
		return output.toString();
	}

}
