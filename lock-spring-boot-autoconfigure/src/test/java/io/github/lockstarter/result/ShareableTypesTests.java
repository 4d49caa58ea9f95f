package io.github.lockstarter.result;

import java.io.InputStream;
import java.io.Reader;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.ResolvableType;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.support.ResourceRegion;
import org.springframework.http.HttpEntity;
import org.springframework.http.RequestEntity;
import org.springframework.http.ResponseEntity;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.ui.Model;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.reactive.result.view.Rendering;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;

class ShareableTypesTests {

	@ParameterizedTest
	@MethodSource
	@DisplayName("Types that can be read only once, or that cannot be deserialized, cannot be shared")
	void notShareable(String method) {
		assertThat(ShareableTypes.objection(returned(NotShareable.class, method))).isNotBlank();
	}

	static Stream<String> notShareable() {
		return methods(NotShareable.class);
	}

	@ParameterizedTest
	@MethodSource
	@DisplayName("Values and entities of values are accepted")
	void allowed(String method) {
		assertThat(ShareableTypes.objection(returned(Allowed.class, method))).isNull();
	}

	static Stream<String> allowed() {
		return methods(Allowed.class);
	}

	private static Stream<String> methods(Class<?> type) {
		return Stream.of(type.getDeclaredMethods()).map((method) -> method.getName()).sorted();
	}

	private static ResolvableType returned(Class<?> type, String method) {
		return ResolvableType.forMethodReturnType(ReflectionUtils.findMethod(type, method));
	}

	interface NotShareable {

		Object object();

		ResponseEntity<?> unknownEntity();

		ResponseEntity<Object> entityOfObject();

		@SuppressWarnings("rawtypes")
		ResponseEntity rawEntity();

		<T> T anything();

		<T> ResponseEntity<T> entityOfAnything();

		RequestEntity<String> requestEntity();

		MyEntity ownEntity();

		Resource resource();

		ByteArrayResource byteArrayResource();

		ResponseEntity<Resource> entityOfResource();

		List<Resource> resources();

		Resource[] resourceArray();

		Optional<Resource> optionalResource();

		Map<String, List<InputStream>> streamsDeep();

		InputStream inputStream();

		Reader reader();

		Stream<String> stream();

		IntStream intStream();

		ResponseEntity<Stream<String>> entityOfStream();

		Iterator<String> iterator();

		List<CompletableFuture<String>> futures();

		Optional<Mono<String>> optionalMono();

		List<Flux<String>> fluxes();

		ServerSentEvent<String> event();

		DataBuffer buffer();

		ResourceRegion region();

		ModelAndView modelAndView();

		View view();

		Model model();

		Rendering rendering();

		SseEmitter emitter();

		StreamingResponseBody streaming();

	}

	interface Allowed {

		void nothing();

		Void nothingBoxed();

		String text();

		int number();

		byte[] bytes();

		Order order();

		Order[] orders();

		List<Order> list();

		Map<String, Map<String, Order>> maps();

		Optional<Order> optional();

		ResponseEntity<Order> entity();

		ResponseEntity<Void> entityOfNothing();

		ResponseEntity<byte[]> entityOfBytes();

		ResponseEntity<List<Order>> entityOfList();

		HttpEntity<Order> plainEntity();

		ServerResult ownClass();

	}

	record Order(String number) {
	}

	record ServerResult(String name) {
	}

	static class MyEntity extends ResponseEntity<String> {

		MyEntity() {
			super(org.springframework.http.HttpStatus.OK);
		}

	}

}
