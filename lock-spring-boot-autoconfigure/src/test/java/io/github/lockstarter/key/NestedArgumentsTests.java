package io.github.lockstarter.key;

import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.http.HttpEntity;
import org.springframework.http.MediaType;
import org.springframework.http.codec.multipart.FilePart;
import org.springframework.mock.web.MockMultipartFile;
import org.springframework.web.multipart.MultipartFile;

import io.github.lockstarter.LockConfigurationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Fingerprints of nested arguments.
 */
class NestedArgumentsTests {

	@Test
	@DisplayName("The content of files in an array is part of the digest")
	void files() {
		assertThat(of("files",
				(Object) new MultipartFile[] { new MockMultipartFile("a", "a.txt", null, new byte[] { 1 }) }))
			.isNotEqualTo(of("files",
					(Object) new MultipartFile[] { new MockMultipartFile("a", "a.txt", null, new byte[] { 2 }) }));
	}

	@Test
	@DisplayName("The content of files in a list is part of the digest")
	void fileList() {
		assertThat(of("fileList", List.of(new MockMultipartFile("a", "a.txt", null, new byte[] { 1 }))))
			.isNotEqualTo(of("fileList", List.of(new MockMultipartFile("a", "a.txt", null, new byte[] { 2 }))));
	}

	@Test
	@DisplayName("The content of an Optional file is part of the digest")
	void optionalFile() {
		assertThat(of("optionalFile", Optional.of(new MockMultipartFile("a", "a.txt", null, new byte[] { 1 }))))
			.isNotEqualTo(of("optionalFile", Optional.of(new MockMultipartFile("a", "a.txt", null, new byte[] { 2 }))));
	}

	@Test
	@DisplayName("A media type is part of the digest")
	void mediaTypeIsData() {
		assertThat(of("mediaType", MediaType.IMAGE_GIF)).isNotEqualTo(of("mediaType", MediaType.IMAGE_JPEG));
	}

	@Test
	@DisplayName("The body of an Optional entity is part of the digest")
	void entityOfFile() {
		assertThat(of("optionalEntity", Optional.of(new HttpEntity<>("a"))))
			.isEqualTo(of("optionalEntity", Optional.of(new HttpEntity<>("a"))));
	}

	@ParameterizedTest
	@ValueSource(strings = { "entityOfStream", "entityOfMono", "parts", "partList", "streamList", "stream", "iterator",
			"monoOptional" })
	@DisplayName("Types that can be read only once are errors inside other types, too")
	void onceInside(String method) {
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> new ArgumentFingerprint(method(method), Methods.class));
	}

	@Test
	@DisplayName("Write-only, ignored and getter-less properties are part of the digest")
	void hidden() {
		assertThat(of("card", new Card("4111", "a"))).isNotEqualTo(of("card", new Card("5222", "a")));
		assertThat(of("card", new Card("4111", "a"))).isNotEqualTo(of("card", new Card("4111", "b")));
		assertThat(of("card", new Card("4111", "a"))).isEqualTo(of("card", new Card("4111", "a")));
		assertThat(of("login", new Login("right"))).isNotEqualTo(of("login", new Login("wrong")));
	}

	record Card(@JsonProperty(access = JsonProperty.Access.WRITE_ONLY) String number, @JsonIgnore String owner) {
	}

	static class Login {

		private final String password;

		Login(String password) {
			this.password = password;
		}

		boolean matches(String password) {
			return this.password.equals(password);
		}

	}

	private static String of(String method, Object... args) {
		return new ArgumentFingerprint(method(method), Methods.class)
			.of(new LockInvocation(method(method), args, CurrentRequest.NONE, new IdempotencyKeyHeader("test", 255)));
	}

	private static Method method(String name) {
		return Arrays.stream(Methods.class.getDeclaredMethods())
			.filter((each) -> each.getName().equals(name))
			.findFirst()
			.orElseThrow();
	}

	interface Methods {

		void card(Card card);

		void login(Login login);

		void files(MultipartFile[] files);

		void fileList(List<MultipartFile> files);

		void optionalFile(Optional<MultipartFile> files);

		void mediaType(MediaType type);

		void optionalEntity(Optional<HttpEntity<String>> entity);

		void entityOfStream(HttpEntity<InputStream> in);

		void entityOfMono(HttpEntity<Mono<String>> in);

		void parts(jakarta.servlet.http.Part[] parts);

		void partList(List<FilePart> parts);

		void streamList(List<InputStream> parts);

		void stream(Stream<String> values);

		void iterator(Iterator<String> values);

		void monoOptional(Optional<Mono<String>> values);

	}

}
