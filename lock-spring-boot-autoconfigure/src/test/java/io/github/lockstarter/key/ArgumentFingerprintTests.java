package io.github.lockstarter.key;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.security.Principal;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import jakarta.servlet.http.Part;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.Resource;
import org.springframework.data.annotation.Persistent;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.RequestEntity;
import org.springframework.http.codec.multipart.FilePart;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockMultipartFile;
import org.springframework.ui.ExtendedModelMap;
import org.springframework.ui.Model;
import org.springframework.ui.ModelMap;
import org.springframework.validation.BindingResult;
import org.springframework.validation.MapBindingResult;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.util.UriComponentsBuilder;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ArgumentFingerprintTests {

	@Test
	@DisplayName("Equal arguments have the same fingerprint")
	void same() {
		assertThat(of("order", new Order("A-1", 2), "a")).isEqualTo(of("order", new Order("A-1", 2), "a"));
		Map<String, Integer> one = new LinkedHashMap<>(Map.of("a", 1));
		one.put("b", 2);
		Map<String, Integer> other = new LinkedHashMap<>(Map.of("b", 2));
		other.put("a", 1);
		assertThat(of("map", one)).isEqualTo(of("map", other));
		assertThat(of("bytes", new byte[] { 1, 2 })).isEqualTo(of("bytes", new byte[] { 1, 2 }));
		assertThat(of("nothing")).isEqualTo(of("nothing"));
	}

	@Test
	@DisplayName("Different arguments, another order or another method result in another fingerprint")
	void others() {
		assertThat(Stream.of(of("order", new Order("A-1", 2), "a"), of("order", new Order("A-1", 3), "a"),
				of("order", new Order("A-1", 2), "b"), of("order", null, "a"), of("order", new Order("A-1", 2), null),
				of("order", new Order(null, 2), "a"), of("order", null, null), of("texts", "a", "b"),
				of("texts", "b", "a"), of("texts", "ab", ""), of("texts", "", "ab"), of("texts", "a\",\"b", ""),
				of("texts", null, "null"), of("otherTexts", "a", "b"), of("nothing"), of("bytes", new byte[] { 1 }),
				of("bytes", new byte[] { 2 }), of("map", Map.of("a", 1)), of("map", Map.of("a", 2)),
				of("price", new BigDecimal("1")), of("price", new BigDecimal("2"))))
			.doesNotHaveDuplicates();
	}

	@Test
	@DisplayName("The principal, the lease and request objects are not part of the digest")
	void access() {
		MockHttpServletRequest one = new MockHttpServletRequest("POST", "/one");
		MockHttpServletRequest other = new MockHttpServletRequest("POST", "/other");
		Model model = new ExtendedModelMap().addAttribute("a", "b");
		BindingResult binding = new MapBindingResult(Map.of("a", "b"), "order");
		assertThat(of("access", "a", null, (Principal) () -> "taro", one, null, new ExtendedModelMap(), null))
			.isEqualTo(of("access", "a", null, (Principal) () -> "jiro", other, null, model, binding))
			.isEqualTo(of("access", "a", null, null, null, null, null, null))
			.isNotEqualTo(of("access", "b", null, null, null, null, null, null));
		assertThat(of("moreAccess", "a", null, null, null, null, null, new HttpHeaders(), null))
			.isEqualTo(of("moreAccess", "a", new ModelMap("a", "b"), null, null, null, null, null,
					UriComponentsBuilder.newInstance()))
			.isNotEqualTo(of("moreAccess", "b", null, null, null, null, null, null, null));
	}

	@Test
	@DisplayName("The body of an entity is part of the digest, and its headers are not")
	void entity() {
		HttpHeaders headers = new HttpHeaders();
		headers.set("traceparent", "00-1");
		assertThat(of("entity", new HttpEntity<>(new Order("A-1", 2), headers)))
			.isEqualTo(of("entity", new HttpEntity<>(new Order("A-1", 2))))
			.isNotEqualTo(of("entity", new HttpEntity<>(new Order("A-1", 3), headers)))
			.isNotEqualTo(of("entity", new HttpEntity<>(headers)));
		assertThat(of("request", RequestEntity.post("/orders").body("a")))
			.isEqualTo(of("request", RequestEntity.post("/orders").header("a", "b").body("a")))
			.isNotEqualTo(of("request", RequestEntity.post("/orders").body("b")));
	}

	@Test
	@DisplayName("The content and the names of a file are part of the digest")
	void file() {
		byte[] content = { 1, 2 };
		String digest = of("file", new MockMultipartFile("file", "a.txt", null, content));
		assertThat(digest).isEqualTo(of("file", new MockMultipartFile("file", "a.txt", null, content.clone())))
			.isNotEqualTo(of("file", new MockMultipartFile("file", "a.txt", null, new byte[] { 1, 3 })))
			.isNotEqualTo(of("file", new MockMultipartFile("file", "b.txt", null, content)))
			.isNotEqualTo(of("file", new MockMultipartFile("other", "a.txt", null, content)))
			.isNotEqualTo(of("file", (Object) null));
	}

	@ParameterizedTest
	@MethodSource
	@DisplayName("A parameter that can be read only once prevents startup")
	void once(String method) {
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> new ArgumentFingerprint(method(Once.class, method), Once.class))
			.withMessageContaining(Once.class.getSimpleName() + "." + method);
	}

	static Stream<String> once() {
		return Arrays.stream(Once.class.getDeclaredMethods()).map(Method::getName).sorted();
	}

	@ParameterizedTest
	@ValueSource(strings = { "entity", "entities", "optional", "array", "inRecord", "inSuperclass", "inList",
			"subclass", "bounded" })
	@DisplayName("An entity as a parameter, or in one, prevents startup, and the message names its class")
	void entity(String method) {
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> new ArgumentFingerprint(method(Entities.class, method), Entities.class))
			.withMessageContaining(Entities.class.getSimpleName() + "." + method)
			.withMessageContaining((method.equals("subclass") ? "a PaidInvoice" : "a Invoice") + " is an entity");
	}

	@Test
	@DisplayName("The identifier of an entity is compared, and an object that refers to itself fails the call")
	void noEntity() {
		assertThat(of("invoice", new InvoiceId(1))).isEqualTo(of("invoice", new InvoiceId(1)))
			.isNotEqualTo(of("invoice", new InvoiceId(2)));
		assertThat(of("typedId", new TypedId<>(1))).isNotEqualTo(of("typedId", new TypedId<>(2)));
		Node node = new Node();
		node.next = node;
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> of("node", node))
			.withMessageContaining("contains itself");
	}

	@Test
	@DisplayName("An argument that cannot be serialized is an error that names the method")
	void notWritable() {
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> of("anything", new Object()))
			.withMessageContaining("Methods.anything");
	}

	private static String of(String method, Object... args) {
		return new ArgumentFingerprint(method(Methods.class, method), Methods.class).of(new LockInvocation(
				method(Methods.class, method), args, CurrentRequest.NONE, new IdempotencyKeyHeader("test", 255)));
	}

	private static Method method(Class<?> type, String name) {
		return Arrays.stream(type.getDeclaredMethods())
			.filter((each) -> each.getName().equals(name))
			.findFirst()
			.orElseThrow();
	}

	/** The identifier of an object of a type, which is not part of it. */
	record TypedId<T>(long value) {
	}

	interface Methods {

		void typedId(TypedId<Invoice> id);

		void order(Order order, String text);

		void texts(String one, String other);

		void otherTexts(String one, String other);

		void map(Map<String, Integer> map);

		void bytes(byte[] bytes);

		void price(BigDecimal price);

		void nothing();

		void anything(Object value);

		void access(String key, Lease lease, Principal principal, HttpServletRequest request,
				HttpServletResponse response, Model model, BindingResult binding);

		void moreAccess(String key, ModelMap model, HttpSession session, WebRequest request, ServerWebExchange exchange,
				OutputStream out, HttpHeaders headers, UriComponentsBuilder uri);

		void entity(HttpEntity<Order> entity);

		void request(RequestEntity<String> entity);

		void file(MultipartFile file);

		void invoice(InvoiceId invoice);

		void node(Node node);

	}

	interface Once {

		void inputStream(InputStream in);

		void reader(Reader reader);

		void resource(Resource resource);

		void publisher(Publisher<String> publisher);

		void mono(Mono<String> mono);

		void flux(String key, Flux<String> flux);

		void future(CompletableFuture<String> future);

		void part(Part part);

		void filePart(FilePart part);

	}

	interface Entities {

		void entity(Invoice invoice);

		void entities(String text, Map<String, List<Invoice>> invoices);

		void optional(Optional<Invoice> invoice);

		void array(Invoice[] invoices);

		void inRecord(Payment payment);

		void inSuperclass(SpecialOrder order);

		void inList(Batch batch);

		void subclass(PaidInvoice invoice);

		void bounded(List<? extends Invoice> invoices);

	}

	@Persistent
	static class Invoice {

		long id;

	}

	@Persistent
	static class PaidInvoice extends Invoice {

	}

	record InvoiceId(long id) {
	}

	record Payment(int amount, Invoice invoice) {
	}

	static class SpecialOrder extends OrderOfInvoice {

	}

	static class OrderOfInvoice {

		SpecialOrder next;

		Optional<Invoice> invoice;

	}

	record Batch(List<Payment> payments) {
	}

	static class Node {

		Node next;

		public Node getNext() {
			return this.next;
		}

	}

	record Order(String number, int count) {
	}

}
