package io.github.lockstarter.autoconfigure;

import java.beans.PropertyEditorSupport;
import java.lang.reflect.Method;
import java.net.http.HttpResponse;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.aopalliance.intercept.MethodInterceptor;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.ArgumentCaptor;
import org.mockito.ArgumentMatchers;
import org.mockito.Mockito;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.autoproxy.BeanNameAutoProxyCreator;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.propertyeditors.StringTrimmerEditor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.data.annotation.Persistent;
import org.springframework.format.FormatterRegistry;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.ServletRequestDataBinder;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.key.KeyText;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.registry.LockInspector;
import io.github.lockstarter.store.memory.MemoryLockStore;
import io.github.lockstarter.testing.SharedServers;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers whose locks depend on the request only: what Spring MVC loads for them is
 * loaded under the lock.
 */
@ExtendWith(OutputCaptureExtension.class)
class BeforeArgumentsTests {

	private static final int REQUESTS = 10;

	@AutoClose
	private static final SharedServers servers = new SharedServers();

	private TestServer server = server("thread");

	@ParameterizedTest
	@CsvSource({ "thread, /counters/1", "suspended, /counters/1", "thread, /counters/1/later",
			"thread, /counters/1/variable", "thread, /counters/1/of-path", "suspended, /counters/1/of-path",
			"thread, /counters/1/model?by=1", "suspended, /counters/1/model?by=1", "thread, /counters/1/two-locks?by=1",
			"suspended, /counters/1/two-locks?by=1" })
	@DisplayName("An argument that Spring MVC loads is loaded under the lock, also after a wait")
	void loadedUnderLock(String waiting, String path) {
		this.server = server(waiting);
		Counters counters = counters();
		counters.values.put("1", 0);
		List<CompletableFuture<HttpResponse<String>>> responses;
		try (Lease held = locks().acquire("counter:1")) {
			responses = IntStream.range(0, REQUESTS).mapToObj((i) -> this.server.postAsync(path)).toList();
			Awaitility.await().until(() -> new GuardedHandlers(this.server).waiters() == REQUESTS);
			assertThat(held.isHeld()).isTrue();
		}
		assertThat(responses).extracting((response) -> response.join().statusCode()).containsOnly(200);
		assertThat(counters.values).containsEntry("1", REQUESTS);
	}

	@ParameterizedTest
	@CsvSource({ "/rejected/1, 1", "/rejected/1/of-path, 1", "/rejected/2/param?number=1, 1", "/rejected/2/header, 1",
			"/rejected/2/value?number=01, 1", "/rejected/2/enum?on=SECONDS, SECONDS" })
	@DisplayName("A conflict is reported before anything is loaded for the handler")
	void rejected(String path, String key) throws Exception {
		int before = counters().loaded.get();
		try (Lease held = locks().acquire("counter:" + key)) {
			HttpResponse<String> response = this.server.post(path, "X-Number", "1");
			assertThat(response.statusCode()).isEqualTo(409);
			assertThat(response.body()).contains("request-in-progress");
			assertThat(response.headers().firstValue("Retry-After")).isPresent();
			assertThat(counters().loaded).hasValue(before);
			assertThat(held.isHeld()).isTrue();
		}
		assertThat(this.server.post(path, "X-Number", "1").statusCode()).isEqualTo(200);
	}

	@ParameterizedTest
	@CsvSource({ "thread, ''", "suspended, ''", "suspended, /later", "thread, /model", "suspended, /model",
			"thread, /model/later" })
	@DisplayName("Nothing is loaded for a handler whose wait ends without the lock, either")
	void rejectedAfterWait(String waiting, String path) throws Exception {
		this.server = server(waiting);
		int before = counters().loaded.get();
		try (Lease held = locks().acquire("counter:1")) {
			HttpResponse<String> response = this.server.post("/briefly/1" + path);
			assertThat(response.statusCode()).isEqualTo(409);
			assertThat(response.body()).contains("wait-timeout");
			assertThat(counters().loaded).hasValue(before);
			assertThat(held.isHeld()).isTrue();
		}
		assertThat(this.server.post("/briefly/1" + path).statusCode()).isEqualTo(200);
	}

	@Test
	@DisplayName("A UUID and a number are keys as the handler gets them")
	void converted() throws Exception {
		UUID id = UUID.randomUUID();
		try (Lease held = locks().acquire("counter:" + id)) {
			assertThat(this.server.post("/uuids/" + id.toString().toUpperCase()).statusCode()).isEqualTo(409);
			assertThat(held.isHeld()).isTrue();
		}
		try (Lease held = locks().acquire("counter:7")) {
			assertThat(this.server.post("/numbers?number=007").statusCode()).isEqualTo(409);
			assertThat(this.server.post("/numbers").statusCode()).isEqualTo(409);
			assertThat(this.server.post("/numbers?number=8").statusCode()).isEqualTo(200);
			assertThat(held.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@CsvSource({ "/rejected/1/param, 400", "/numbers?number=seven, 400", "/uuids/none, 400", "/required, 400",
			"/rejected/none, 400" })
	@DisplayName("A missing or invalid value gets its usual response, and leaves no lock")
	void invalid(String path, int status) throws Exception {
		assertThat(this.server.post(path).statusCode()).isEqualTo(status);
		assertThat(held()).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "thread, /trimmed/own", "suspended, /trimmed/own", "thread, /trimmed/advised" })
	@DisplayName("The key is what @InitBinder methods make of a value, and no other lock is needed")
	void binders(String waiting, String path) throws Exception {
		this.server = server(waiting);
		int before = counters().loaded.get();
		try (Lease held = locks().acquire("counter:1")) {
			assertThat(this.server.post(path + "/1?number=%201%20").statusCode()).isEqualTo(409);
			assertThat(counters().loaded).hasValue(before);
			assertThat(this.server.post(path + "/1/untrimmed?other=%201%20").statusCode()).isEqualTo(200);
			assertThat(held.isHeld()).isTrue();
		}
		try (Lease held = locks().acquire(LockKey.of("counter: 1 "), locks().options("counter"))) {
			assertThat(this.server.post(path + "/1?number=%201%20").statusCode()).isEqualTo(200);
			assertThat(this.server.post(path + "/1/untrimmed?other=%201%20").statusCode()).isEqualTo(409);
			assertThat(held.isHeld()).isTrue();
		}
		assertThat(held()).isZero();
	}

	@Test
	@DisplayName("If the call of the handler needs another lock than its request, both are one wait")
	void oneWait() throws Exception {
		try (TestServer changing = TestServer
			.start(new Class<?>[] { TestServer.Application.class, Changing.class, Observed.class })) {
			LockRegistry locks = changing.context().getBean(LockRegistry.class);
			assertThat(changing.post("/changing?number=1").body()).isEqualTo("late");
			ArgumentCaptor<LockOptions> options = ArgumentCaptor.captor();
			Mockito.verify(locks).acquire(ArgumentMatchers.eq(LockKey.of("counter:early")), options.capture());
			Mockito.verify(locks).acquire(ArgumentMatchers.eq(LockKey.of("counter:late")), options.capture());
			assertThat(options.getAllValues()).extracting(LockOptions::waitTime)
				.satisfiesExactly((early) -> assertThat(early).isEqualTo(Duration.ofMinutes(1)),
						(late) -> assertThat(late).isLessThan(Duration.ofMinutes(1)));
			locks.acquire("counter:early").close();
		}
	}

	@Test
	@DisplayName("Of two controllers of one class, the one with advice outside of the lock acquires it after the advice")
	void twoOfOneClass() throws Exception {
		try (TestServer twins = TestServer.start(new Class<?>[] { TestServer.Application.class, Twins.class },
				"lock.store=memory")) {
			try (Lease held = twins.context().getBean(LockRegistry.class).acquire("counter:1")) {
				assertThat(twins.post("/open/1").statusCode()).isEqualTo(409);
				assertThat(twins.post("/denied/1").statusCode()).isEqualTo(403);
				assertThat(held.isHeld()).isTrue();
			}
		}
	}

	@Test
	@DisplayName("A method that is called while arguments are resolved joins the lock")
	void joins() throws Exception {
		assertThat(this.server.post("/joining/1").body()).isEqualTo("joined");
		assertThat(held()).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "include", "forward" })
	@DisplayName("A dispatch to another handler while arguments are resolved does not end the lock")
	void nestedDispatch(String kind) throws Exception {
		HttpResponse<String> response = this.server.post("/dispatching/1?kind=" + kind);
		assertThat(response.statusCode()).isEqualTo(200);
		assertThat(Dispatching.held).hasValue(1);
		assertThat(held()).isZero();
	}

	@Test
	@DisplayName("Advice outside of the lock stays outside: a request that it denies needs no lock")
	void adviceOutside() throws Exception {
		try (Lease held = locks().acquire("counter:1")) {
			assertThat(this.server.post("/denied/1").statusCode()).isEqualTo(403);
			assertThat(this.server.post("/denied/1?allowed=true").statusCode()).isEqualTo(409);
			assertThat(held.isHeld()).isTrue();
		}
		assertThat(this.server.post("/denied/1").statusCode()).isEqualTo(403);
		assertThat(held()).isZero();
		assertThat(this.server.post("/denied/1?allowed=true").statusCode()).isEqualTo(200);
	}

	@Test
	@DisplayName("A condition that is false for the request needs no lock, and another one does")
	void condition() throws Exception {
		try (Lease held = locks().acquire("counter:1")) {
			assertThat(this.server.post("/conditional/1").statusCode()).isEqualTo(200);
			assertThat(this.server.post("/conditional/1?locked=true").statusCode()).isEqualTo(409);
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	@DisplayName("A key that reads the body is acquired after the arguments")
	void body() throws Exception {
		try (Lease held = locks().acquire("counter:1")) {
			assertThat(this.server.post("/body").statusCode()).isEqualTo(400);
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	@DisplayName("The lock of the principal is acquired for a request without one only if the key has an alternative")
	void principal() throws Exception {
		assertThat(this.server.post("/principals").statusCode()).isEqualTo(200);
		assertThat(this.server.post("/principals/only").statusCode()).isEqualTo(400);
	}

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("A key reads variables of the path and parameters, in Spring MVC and in WebFlux")
	void values(String type) throws Exception {
		TestServer values = servers.get(new Class<?>[] { TestServer.Application.class, Values.class },
				"lock.store=memory", "spring.main.web-application-type=" + type);
		LockRegistry locks = values.context().getBean(LockRegistry.class);
		try (Lease held = locks.acquire(KeyText.lockKey("value", List.of("1", "2")), locks.options("value"))) {
			assertThat(values.post("/values/1?number=2").statusCode()).isEqualTo(409);
			assertThat(values.post("/values/2?number=1").statusCode()).isEqualTo(200);
			assertThat(values.post("/values/1").statusCode()).isEqualTo(400);
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	@DisplayName("The start warns of a loaded entity if the key needs arguments that are resolved before the lock")
	void warnings(CapturedOutput output) {
		TestServer
			.start(new Class<?>[] { TestServer.Application.class, Entities.class, EntityModels.class },
					"lock.store=memory")
			.close();
		assertThat(output.getAll().lines().filter((line) -> line.contains("older than its lock")))
			.satisfiesExactlyInAnyOrder((line) -> assertThat(line).contains("$Entities#warned"),
					(line) -> assertThat(line).contains("$Entities#optional"),
					(line) -> assertThat(line).contains("$EntityModels#warned"));
	}

	@Test
	@DisplayName("A warning of a loaded entity that depends on the advice of a lazy controller follows at its first request")
	void warningOfLazyController(CapturedOutput output) throws Exception {
		try (TestServer lazy = TestServer.start(new Class<?>[] { TestServer.Application.class, DeniedEntities.class,
				DeniedEntities.Rows.class, Security.class }, "lock.store=memory",
				"spring.main.lazy-initialization=true")) {
			assertThat(output).doesNotContain("older than its lock");
			for (int i = 0; i < 2; i++) {
				assertThat(lazy.post("/denied-entities/1").statusCode()).isEqualTo(403);
				assertThat(lazy.post("/open-entities/1").statusCode()).isEqualTo(200);
			}
		}
		assertThat(output).containsOnlyOnce("older than its lock").contains("DeniedEntities#denied");
	}

	@Test
	@DisplayName("An @InitBinder method that fails before the call is logged once per handler")
	void failingBinder(CapturedOutput output) throws Exception {
		try (TestServer failing = TestServer.start(new Class<?>[] { TestServer.Application.class, Failing.class },
				"lock.store=memory")) {
			for (int i = 0; i < 2; i++) {
				assertThat(failing.post("/failing-binder?number=1").statusCode()).isEqualTo(500);
			}
		}
		assertThat(output).containsOnlyOnce("are acquired after its arguments, which cannot be resolved before")
			.contains("Failing#failing");
	}

	private long held() {
		return this.server.context().getBean(LockInspector.class).held("counter");
	}

	private LockRegistry locks() {
		return this.server.context().getBean(LockRegistry.class);
	}

	private Counters counters() {
		return this.server.context().getBean(Counters.class);
	}

	private static TestServer server(String waiting) {
		return servers.get(
				new Class<?>[] { TestServer.Application.class, Handlers.class, Models.class, Trimming.class,
						Advised.class, TrimmingAdvice.class, Joining.class, Dispatching.class, Denied.class,
						Security.class, Service.class, Counters.class },
				"lock.store=memory", "lock.web.waiting=" + waiting);
	}

	/** A table of numbers, whose rows are loaded for handlers. */
	@Component
	static class Counters implements WebMvcConfigurer {

		private final Map<String, Integer> values = new ConcurrentHashMap<>();

		private final AtomicInteger loaded = new AtomicInteger();

		@Override
		public void addFormatters(FormatterRegistry registry) {
			registry.addConverter(String.class, Counter.class, this::load);
		}

		Counter load(String id) {
			if (id.equals("none")) {
				throw new IllegalStateException("failed as asked");
			}
			this.loaded.incrementAndGet();
			return new Counter(id, this.values.getOrDefault(id, 0));
		}

		void save(Counter counter, int by) {
			this.values.put(counter.id, counter.value + by);
		}

	}

	/**
	 * A row.
	 *
	 * @param value its number when it was loaded
	 */
	record Counter(String id, int value) {
	}

	@RestController
	static class Handlers {

		private static final String WAIT = "1m";

		private final Counters counters;

		Handlers(Counters counters) {
			this.counters = counters;
		}

		@PostMapping("/counters/{id}")
		@ExclusiveRequest(name = "counter", key = "pathVariable('id')", waitTime = WAIT)
		public void increment(@PathVariable("id") Counter counter) {
			this.counters.save(counter, 1);
		}

		@PostMapping("/counters/{id}/later")
		@ExclusiveRequest(name = "counter", key = "pathVariable('id')", waitTime = WAIT)
		public CompletableFuture<String> later(@PathVariable("id") Counter counter) {
			return CompletableFuture.supplyAsync(() -> {
				this.counters.save(counter, 1);
				return "done";
			});
		}

		@PostMapping("/briefly/{id}")
		@ExclusiveRequest(name = "counter", key = "pathVariable('id')", waitTime = "200ms")
		public void briefly(@PathVariable("id") Counter counter) {
			this.counters.save(counter, 1);
		}

		@PostMapping("/briefly/{id}/later")
		@ExclusiveRequest(name = "counter", key = "pathVariable('id')", waitTime = "200ms")
		public CompletableFuture<String> brieflyLater(@PathVariable("id") Counter counter) {
			this.counters.save(counter, 1);
			return CompletableFuture.completedFuture("done");
		}

		@PostMapping("/counters/{id}/variable")
		@ExclusiveRequest(name = "counter", key = "#number", waitTime = WAIT)
		public void variable(@PathVariable("id") Counter counter, @PathVariable("id") long number) {
			this.counters.save(counter, 1);
		}

		@PostMapping("/counters/{id}/of-path")
		@ExclusiveRequest(name = "counter", key = "path.split('/')[2]", waitTime = WAIT)
		public void ofPath(@PathVariable("id") Counter counter) {
			this.counters.save(counter, 1);
		}

		@PostMapping("/counters/{id}/two-locks")
		@ExclusiveRequest(name = "counter", key = "#p1", waitTime = WAIT)
		@ExclusiveRequest(name = "by", key = "#p2", waitTime = WAIT)
		public void twoLocks(@PathVariable("id") Counter counter, @PathVariable("id") String id, @RequestParam int by) {
			this.counters.save(counter, by);
		}

		@PostMapping({ "/rejected/{id}", "/rejected/{id}/of-path" })
		@ExclusiveRequest(name = "counter", key = "path.split('/')[2]")
		public void rejected(@PathVariable("id") Counter counter) {
			this.counters.save(counter, 1);
		}

		@PostMapping("/rejected/{id}/param")
		@ExclusiveRequest(name = "counter", key = "param('number')")
		public void param(@PathVariable("id") Counter counter) {
			this.counters.save(counter, 1);
		}

		@PostMapping("/rejected/{id}/header")
		@ExclusiveRequest(name = "counter", key = "#number")
		public void header(@PathVariable("id") Counter counter, @RequestHeader("X-Number") String number) {
			this.counters.save(counter, 1);
		}

		@PostMapping("/rejected/{id}/value")
		@ExclusiveRequest(name = "counter", key = "#number")
		public void value(@PathVariable("id") Counter counter, @RequestParam Integer number) {
			this.counters.save(counter, 1);
		}

		@PostMapping("/rejected/{id}/enum")
		@ExclusiveRequest(name = "counter", key = "#on")
		public void ofEnum(@PathVariable("id") Counter counter, @RequestParam TimeUnit on) {
			this.counters.save(counter, 1);
		}

		@PostMapping("/uuids/{id}")
		@ExclusiveRequest(name = "counter", key = "#id")
		public void uuid(@PathVariable UUID id) {
		}

		@PostMapping("/numbers")
		@ExclusiveRequest(name = "counter", key = "#number")
		public void number(@RequestParam(defaultValue = "7") int number) {
		}

		@PostMapping("/required")
		@ExclusiveRequest(name = "counter", key = "#number")
		public void required(@RequestParam String number) {
		}

		@PostMapping("/conditional/{id}")
		@ExclusiveRequest(name = "counter", key = "#id", condition = "param('locked') == 'true'")
		public void conditional(@PathVariable String id) {
		}

		@PostMapping("/body")
		@ExclusiveRequest(name = "counter", key = "#counter.id")
		public void body(@RequestBody Counter counter) {
		}

		@PostMapping("/principals")
		@ExclusiveRequest(name = "counter", key = "principal?.name ?: 'nobody'")
		public void principal(Principal principal) {
		}

		@PostMapping("/principals/only")
		@ExclusiveRequest(name = "counter", key = "principal.name")
		public void principalOnly() {
		}

	}

	@RestController
	static class Models {

		private final Counters counters;

		Models(Counters counters) {
			this.counters = counters;
		}

		@ModelAttribute
		Counter counter(@PathVariable String id) {
			return this.counters.load(id);
		}

		@PostMapping("/briefly/{id}/model")
		@ExclusiveRequest(name = "counter", key = "#id", waitTime = "200ms")
		public void briefly(@PathVariable String id, @ModelAttribute Counter counter) {
		}

		@PostMapping("/briefly/{id}/model/later")
		@ExclusiveRequest(name = "counter", key = "#id", waitTime = "200ms")
		public CompletableFuture<String> brieflyLater(@PathVariable String id, @ModelAttribute Counter counter) {
			return CompletableFuture.completedFuture("done");
		}

		@PostMapping("/counters/{id}/model")
		@ExclusiveRequest(name = "counter", key = "#id", waitTime = "1m")
		public void model(@PathVariable String id, @RequestParam int by, @ModelAttribute Counter counter) {
			this.counters.save(counter, by);
		}

	}

	/** Handlers with a row that is loaded for them. */
	abstract static class Texts {

		private final Counters counters;

		Texts(Counters counters) {
			this.counters = counters;
		}

		@PostMapping("/{id}")
		@ExclusiveRequest(name = "counter", key = "#number")
		public void trimmed(@PathVariable("id") Counter counter, @RequestParam String number) {
			this.counters.save(counter, 1);
		}

		@PostMapping("/{id}/untrimmed")
		@ExclusiveRequest(name = "counter", key = "#other")
		public void untrimmed(@PathVariable("id") Counter counter, @RequestParam String other) {
			this.counters.save(counter, 1);
		}

	}

	@RestController
	@RequestMapping("/trimmed/own")
	static class Trimming extends Texts {

		Trimming(Counters counters) {
			super(counters);
		}

		@InitBinder("number")
		void trim(HttpServletRequest request, ServletRequestDataBinder binder) {
			binder.registerCustomEditor(String.class, new StringTrimmerEditor(true));
		}

	}

	@RestController
	@RequestMapping("/trimmed/advised")
	static class Advised extends Texts {

		Advised(Counters counters) {
			super(counters);
		}

	}

	@ControllerAdvice(assignableTypes = Advised.class)
	static class TrimmingAdvice {

		@InitBinder("number")
		void trim(WebDataBinder binder, @PathVariable String id) {
			assertThat(id).isEqualTo("1");
			binder.registerCustomEditor(String.class, new StringTrimmerEditor(true));
		}

	}

	/** Has another value for its handler than before. */
	@RestController
	static class Changing {

		@InitBinder
		void change(WebDataBinder binder, WebRequest request) {
			boolean early = request.getAttribute("bound", RequestAttributes.SCOPE_REQUEST) == null;
			request.setAttribute("bound", true, RequestAttributes.SCOPE_REQUEST);
			binder.registerCustomEditor(String.class, new PropertyEditorSupport() {

				@Override
				public void setAsText(String text) {
					setValue(early ? "early" : "late");
				}

			});
		}

		@PostMapping("/changing")
		@ExclusiveRequest(name = "counter", key = "#number", waitTime = "1m")
		public String changing(@RequestParam String number) {
			return number;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Observed {

		@Bean
		LockRegistry locks() {
			return Mockito.spy(new DefaultLockRegistry(new MemoryLockStore(), LockOptions.of(Duration.ofSeconds(10))));
		}

	}

	/** Two controllers of one class, one of which denies all calls. */
	@Configuration(proxyBeanMethods = false)
	static class Twins {

		@Bean
		Twin open() {
			return new Twin();
		}

		@Bean
		Twin denied() {
			return new Twin();
		}

		@Bean
		static BeanNameAutoProxyCreator security() {
			BeanNameAutoProxyCreator creator = new BeanNameAutoProxyCreator();
			creator.setBeanNames("denied");
			creator.setInterceptorNames("denial");
			creator.setProxyTargetClass(true);
			return creator;
		}

		@Bean
		static MethodInterceptor denial() {
			return (call) -> {
				throw new ResponseStatusException(HttpStatus.FORBIDDEN);
			};
		}

		@Autowired
		void register(@Qualifier("requestMappingHandlerMapping") RequestMappingHandlerMapping mapping)
				throws NoSuchMethodException {
			Method method = Twin.class.getMethod("twin", String.class);
			for (String bean : List.of("open", "denied")) {
				mapping.registerMapping(RequestMappingInfo.paths("/" + bean + "/{id}")
					.options(mapping.getBuilderConfiguration())
					.build(), bean, method);
			}
		}

	}

	static class Twin {

		@ExclusiveRequest(name = "counter", key = "#id")
		public void twin(@PathVariable String id) {
		}

	}

	@RestController
	static class Joining {

		private final Service service;

		Joining(Service service) {
			this.service = service;
		}

		@ModelAttribute("joined")
		String joined(@PathVariable String id) {
			return this.service.join(id);
		}

		@PostMapping("/joining/{id}")
		@ExclusiveRequest(name = "counter", key = "path.split('/')[2]")
		public String joining(@ModelAttribute("joined") String joined) {
			return joined;
		}

	}

	@RestController
	static class Dispatching {

		private static final AtomicLong held = new AtomicLong();

		private final LockInspector locks;

		Dispatching(LockInspector locks) {
			this.locks = locks;
		}

		@ModelAttribute
		void dispatch(@RequestParam(required = false) String kind, HttpServletRequest request,
				HttpServletResponse response) throws Exception {
			if (request.getDispatcherType() == DispatcherType.REQUEST) {
				RequestDispatcher plain = request.getRequestDispatcher("/plain");
				if ("include".equals(kind)) {
					plain.include(request, response);
				}
				else {
					plain.forward(request, response);
				}
				held.set(this.locks.held("counter"));
			}
		}

		@PostMapping("/dispatching/{id}")
		@ExclusiveRequest(name = "counter", key = "path.split('/')[2]")
		public void dispatching(@PathVariable String id) {
		}

		@PostMapping("/plain")
		public void plain() {
		}

	}

	@Component
	static class Service {

		@ExclusiveRequest(name = "counter", key = "#id")
		public String join(String id) {
			return "joined";
		}

	}

	@RestController
	static class Denied {

		@PostMapping("/denied/{id}")
		@ExclusiveRequest(name = "counter", key = "#id")
		public void denied(@PathVariable String id, @RequestParam(defaultValue = "false") boolean allowed) {
		}

	}

	/** Stands for the security of methods. */
	@Component
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static class Security extends DefaultPointcutAdvisor {

		Security() {
			super(new NameMatchMethodPointcut().addMethodName("denied"), (MethodInterceptor) (call) -> {
				if (Boolean.FALSE.equals(call.getArguments()[1])) {
					throw new ResponseStatusException(HttpStatus.FORBIDDEN);
				}
				return call.proceed();
			});
			setOrder(0);
		}

	}

	@RestController
	static class Values {

		@PostMapping("/values/{id}")
		@ExclusiveRequest(name = "value", key = "{pathVariable('id'), param('number')}")
		public Mono<String> value() {
			return Mono.just("done");
		}

	}

	/** Spring Data marks its entities with it, as JPA does with another annotation. */
	@Persistent
	static class Row {

		public String getId() {
			return "1";
		}

	}

	@RestController
	static class Entities {

		@PostMapping("/entities/warned/{id}")
		@ExclusiveRequest(key = "#row.id")
		public void warned(@PathVariable("id") Row row) {
		}

		@PostMapping("/entities/optional/{id}")
		@ExclusiveRequest(key = "#row.get().id")
		public void optional(@PathVariable("id") Optional<Row> row) {
		}

		@PostMapping("/entities/early/{id}")
		@ExclusiveRequest(key = "path")
		public void early(@PathVariable("id") Row row) {
		}

		@PostMapping("/entities/body")
		@ExclusiveRequest(key = "#row.id")
		public void body(@RequestBody Row row) {
		}

		@PostMapping("/entities/unlocked/{id}")
		public void unlocked(@PathVariable("id") Row row) {
		}

	}

	@RestController
	static class EntityModels {

		@ModelAttribute
		Row row() {
			return new Row();
		}

		@PostMapping("/entity-models/warned")
		@ExclusiveRequest(key = "#form.number")
		public void warned(Form form) {
		}

		@PostMapping("/entity-models/early")
		@ExclusiveRequest(key = "#number")
		public void early(@RequestParam String number, Form form) {
		}

	}

	@RestController
	static class DeniedEntities {

		@PostMapping("/denied-entities/{id}")
		@ExclusiveRequest(name = "counter", key = "path")
		public void denied(@PathVariable("id") Optional<Row> row,
				@RequestParam(defaultValue = "false") boolean allowed) {
		}

		@PostMapping("/open-entities/{id}")
		@ExclusiveRequest(name = "counter", key = "path")
		public void open(@PathVariable("id") Optional<Row> row) {
		}

		@Component
		static class Rows implements WebMvcConfigurer {

			@Override
			public void addFormatters(FormatterRegistry registry) {
				registry.addConverter(String.class, Row.class, (id) -> new Row());
			}

		}

	}

	@RestController
	static class Failing {

		@InitBinder
		void fail(WebDataBinder binder) {
			throw new IllegalStateException("failed as asked");
		}

		@PostMapping("/failing-binder")
		@ExclusiveRequest(name = "counter", key = "#number")
		public void failing(@RequestParam String number) {
		}

	}

	/** A form. */
	public record Form(String number) {
	}

}
