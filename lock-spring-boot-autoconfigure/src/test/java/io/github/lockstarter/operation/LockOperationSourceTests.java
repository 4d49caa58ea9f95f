package io.github.lockstarter.operation;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.http.HttpEntity;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseBody;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.TooManyLockKeysException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.key.CurrentRequest;
import io.github.lockstarter.key.LockInvocation;
import io.github.lockstarter.result.KeptResponses;
import io.github.lockstarter.result.ReplayRetention;
import io.github.lockstarter.annotation.Inherited;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What annotations and settings say about methods, and which methods they are for.
 */
class LockOperationSourceTests {

	private static final Duration TTL = Duration.ofSeconds(7);

	private final Map<String, LockSettings> names = new HashMap<>();

	private LockSettings defaults = wait(null);

	private KeptResponses keep = KeptResponses.VALUES;

	private UnaryOperator<String> placeholders = UnaryOperator.identity();

	@ParameterizedTest
	@CsvSource({ "REJECT, 0s, 3s", "WAIT, 14s, 3s", "SHARE, 14s, 3s", "SKIP, 0s, 0s" })
	@DisplayName("A call waits as its policy needs it if nothing is said; lock.wait applies to all but skipped calls")
	void waitOfPolicy(OnConflict policy, String unset, String ofDefaults) {
		String method = policy.name().toLowerCase(Locale.ROOT);
		assertThat(operation(Policies.class, method).options().waitTime()).isEqualTo(duration(unset));
		this.defaults = wait(Duration.ofSeconds(3));
		assertThat(operation(Policies.class, method).options().waitTime()).isEqualTo(duration(ofDefaults));
	}

	@Test
	@DisplayName("The settings of a name precede the annotation, which precedes the defaults, each for itself and even if it is zero")
	void precedence() {
		this.defaults = wait(Duration.ofSeconds(3));
		assertThat(operation(Policies.class, "briefly").options().waitTime()).isEqualTo(Duration.ofSeconds(1));
		this.names.put("briefly", wait(Duration.ZERO));
		LockOperation operation = operation(Policies.class, "briefly");
		assertThat(operation.options().waitTime()).isZero();
		assertThat(operation.options().ttl()).isEqualTo(TTL);
		assertThat(operation.conflictStatus().value()).isEqualTo(423);
	}

	@Test
	@DisplayName("A name that is switched off has no lock, and shares nothing")
	void disabled() {
		this.names.put("shared", new LockSettings(null, null, null, null, null, null, false, null));
		LockedMethod method = find(Policies.class, "share");
		assertThat(method.operations().get(0).enabled()).isFalse();
		assertThat(method.operations().get(0).sharesResults()).isFalse();
		this.names.clear();
		assertThat(operation(Policies.class, "share").sharesResults()).isTrue();
	}

	@Test
	@DisplayName("Without a name, a lock is named by the class of the bean, the method and its parameters")
	void defaultName() {
		assertThat(operation(SubclassOfNamed.class, "method").name())
			.isEqualTo(SubclassOfNamed.class.getName() + ".method(int,java.lang.String[])");
	}

	@Test
	@DisplayName("Placeholders are resolved in names, times and what is kept")
	void placeholders() {
		this.placeholders = (text) -> Map.of("${name}", "resolved", "${time}", "2s", "${keep}", "all")
			.getOrDefault(text, text);
		LockOperation operation = operation(Placeholders.class, "method");
		assertThat(operation.name()).isEqualTo("resolved");
		assertThat(operation.options().ttl()).isEqualTo(Duration.ofSeconds(2));
		assertThat(operation.replay()).isEqualTo(new ReplayRetention(Duration.ofSeconds(2), KeptResponses.ALL));
	}

	@ParameterizedTest
	@ValueSource(classes = { WithoutUnit.class, TwoKeys.class, SharedAndOther.class, SharedKeys.class,
			ReplayWithoutKey.class, KeepWithoutReplay.class, StatusesOfService.class, FingerprintOfService.class,
			FingerprintWithoutReplay.class, HeldAndShared.class, UnknownResolver.class, KeysOfText.class,
			ReplayOfStream.class })
	@DisplayName("An annotation that contradicts itself, or that cannot have an effect, is an error at startup")
	void contradictions(Class<?> type) {
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> source().of(type))
			.withMessageContaining(type.getSimpleName() + ".method");
	}

	@Test
	@DisplayName("A key resolver is a key for a replay, too, and is looked up as a bean")
	void resolver() {
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> source().of(ReplayByResolver.class))
			.withMessageContaining("There is no bean 'unknown'");
	}

	@Test
	@DisplayName("keys has a lock for each element, up to the largest number")
	void keys() {
		LockedMethod method = find(Several.class, "method");
		LockOperation operation = method.operations().get(0);
		assertThat(operation.lockKeys(call(method, List.of("1", "2")))).hasSize(2);
		List<Integer> many = IntStream.range(0, 65).boxed().toList();
		assertThatExceptionOfType(TooManyLockKeysException.class)
			.isThrownBy(() -> operation.lockKeys(call(method, many)));
	}

	@Test
	@DisplayName("What is kept is said by the annotation, or otherwise by lock.replay.keep; methods that are no handlers keep values")
	void kept() {
		this.keep = KeptResponses.ALL;
		assertThat(kept(Replaying.class, "method")).isEqualTo(KeptResponses.ALL);
		assertThat(kept(Replaying.class, "own")).isEqualTo(KeptResponses.VALUES);
		assertThat(kept(ReplayingService.class, "method")).isEqualTo(KeptResponses.VALUES);
		assertThat(kept(ReplayingService.class, "own")).isEqualTo(KeptResponses.VALUES);
	}

	@Test
	@DisplayName("A handler that replays may have arguments that can be read only once, because its requests are compared")
	void argumentsOfHandler() {
		assertThat(operation(ReplayingStream.class, "method").replay()).isNotNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "500", "+500", "-500", "007" })
	@DisplayName("A number is no time, whatever its sign is and however it begins")
	void numbers(String time) {
		this.placeholders = (text) -> text.equals("${time}") ? time : "all";
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> source().of(Placeholders.class))
			.withMessageContaining("'" + time + "' has no unit");
	}

	@Test
	@DisplayName("A time without a unit is an error at startup, and the message has the two that may have been meant; zero needs none")
	void unit() {
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> source().of(WithoutUnit.class))
			.withMessageContaining("ttl '500' has no unit: write 500s or 500ms");
		assertThat(operation(ZeroWithoutUnit.class, "method").options().waitTime()).isZero();
	}

	@Test
	@DisplayName("A method that replays must not run without its lock when the store fails; one that shares may")
	void proceedsAndReplays() {
		this.placeholders = (text) -> text.equals("${name}") ? "replayed" : text.equals("${keep}") ? "all" : "1h";
		this.names.put("replayed", new LockSettings(null, null, null, null, null, null, null, OnStoreFailure.PROCEED));
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> source().of(Placeholders.class))
			.withMessageContaining("set lock.names.replayed.on-store-failure=reject");
		this.names.put("shared", new LockSettings(null, null, null, null, null, null, null, OnStoreFailure.PROCEED));
		this.placeholders = UnaryOperator.identity();
		assertThat(operation(Policies.class, "share").proceedsOnStoreFailure()).isTrue();
	}

	@Test
	@DisplayName("An annotation on a class covers the methods of the application, and an own annotation of a method replaces it")
	void ofClass() {
		LockOperationSource source = source();
		assertThat(source.of(Covered.class).keySet()).extracting(Method::getName)
			.containsExactlyInAnyOrder("plain", "own", "inherited", "ofInterface");
		assertThat(operation(Covered.class, "plain").name()).isEqualTo("class");
		assertThat(operation(Covered.class, "own").name()).isEqualTo("own");
		assertThat(operation(Covered.class, "inherited").name()).isEqualTo("class");
	}

	@Test
	@DisplayName("It does not cover the methods that a class of Java or Spring has, nor what only its own package can override")
	void notCovered() {
		assertThat(source().of(CoveredStream.class).keySet()).extracting(Method::getName).containsExactly("own");
		assertThat(source().of(CoveredElsewhere.class).keySet()).extracting(Method::getName).containsExactly("own");
	}

	@Test
	@DisplayName("Of callbacks whose parameter the application chooses, it covers those that the application calls, and not those of the container")
	void callbacks() {
		assertThat(source().of(CoveredCallbacks.class).keySet()).extracting(Method::getName).containsExactly("accept");
	}

	@Test
	@DisplayName("A type of Spring belongs to the application if that is of the same project")
	void frameworks() {
		assertThat(CoveredMethods.isFramework(HttpEntity.class, Covered.class)).isTrue();
		assertThat(CoveredMethods.isFramework(HttpEntity.class, GenericApplicationContext.class)).isTrue();
		assertThat(CoveredMethods.isFramework(HttpEntity.class, ResponseEntity.class)).isFalse();
		assertThat(CoveredMethods.isFramework(Uncovered.class, Covered.class)).isFalse();
	}

	@Test
	@DisplayName("It covers the handlers of a controller, and not the methods that prepare or follow them")
	void ofController() {
		assertThat(source().of(CoveredController.class).keySet()).extracting(Method::getName)
			.containsExactlyInAnyOrder("handle", "handleModel");
	}

	@Test
	@DisplayName("The annotation of the nearest method that is overridden counts, with all of its repetitions")
	void nearest() {
		assertThat(find(Overriding.class, "method").operations()).extracting(LockOperation::name)
			.containsExactly("one", "two");
	}

	@Test
	@DisplayName("A class that was made at run time has the methods of the class that it extends, and of other interfaces that it implements")
	void proxy() {
		LockOperationSource source = source();
		Locked ofLambda = () -> {
		};
		Method method = TestOperations.method(Locked.class, "locked");
		assertThat(source.find(method, ofLambda.getClass())).isNotNull().isSameAs(source.of(Locked.class).get(method));
		Object ofInterfaces = Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { Runnable.class, Locked.class }, (proxy, called, args) -> null);
		assertThat(source.find(method, ofInterfaces.getClass())).isSameAs(source.of(Locked.class).get(method));
	}

	@Test
	@DisplayName("A proxy that extends a class has its methods, under its name, and not those of the interfaces that it implements")
	void proxyOfClass() {
		LockOperationSource source = source();
		ProxyFactory factory = new ProxyFactory(new Overriding());
		factory.setProxyTargetClass(true);
		factory.addInterface(Farther.class);
		factory.addInterface(Locked.class);
		Class<?> proxy = factory.getProxy().getClass();
		Method method = TestOperations.method(Overriding.class, "method");
		assertThat(source.find(method, proxy)).isNotNull().isSameAs(source.find(method, Overriding.class));
		assertThat(source.find(TestOperations.method(Farther.class, "method"), proxy))
			.isSameAs(source.find(method, proxy));
		assertThat(source.find(TestOperations.method(Locked.class, "locked"), proxy)).isNotNull();
		assertThat(source.operations()).extracting(LockOperation::name)
			.containsExactlyInAnyOrder("one", "two", "locked");
	}

	@Test
	@DisplayName("A method that two interfaces of a proxy inherit is that of the first")
	void proxyOfInterfaces() {
		Object proxy = Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { First.class, Second.class },
				(any, called, args) -> null);
		LockedMethod method = source().find(TestOperations.method(Unnamed.class, "method"), proxy.getClass());
		assertThat(method).isNotNull();
		assertThat(method.operations()).extracting(LockOperation::name)
			.containsExactly(First.class.getName() + ".method()");
	}

	@Test
	@DisplayName("What is known of all methods are those of the classes that have been asked for")
	void foundSoFar() {
		LockOperationSource source = source();
		assertThat(source.lockNames()).isEmpty();
		assertThat(source.sharedLockNames()).isEmpty();
		assertThat(source.keepsResponses()).isFalse();
		assertThat(source.hasReactive()).isFalse();
		assertThat(source.of(Object.class)).isEmpty();
		source.of(Policies.class);
		assertThat(source.lockNames()).containsExactlyInAnyOrder("reject", "wait", "shared", "skip", "briefly");
		assertThat(source.sharedLockNames()).containsExactly("shared");
		assertThat(source.keepsResponses()).isFalse();
		source.of(Replaying.class);
		assertThat(source.keepsResponses()).isTrue();
		assertThat(source.hasReactive()).isFalse();
		source.of(Reactive.class);
		assertThat(source.hasReactive()).isTrue();
		source.of(SharingReactive.class);
		assertThat(source.replayedReactiveLockNames()).isEmpty();
		source.of(ReplayingReactive.class);
		assertThat(source.replayedReactiveLockNames()).hasSize(1);
	}

	@Test
	@DisplayName("A method is read once")
	void once() {
		LockOperationSource source = source();
		Method method = TestOperations.method(Reactive.class, "method");
		assertThat(source.find(method, Reactive.class)).isSameAs(source.find(method, Reactive.class));
	}

	private KeptResponses kept(Class<?> type, String method) {
		ReplayRetention replay = operation(type, method).replay();
		assertThat(replay).isNotNull();
		return replay.responses();
	}

	private static LockInvocation call(LockedMethod method, Object argument) {
		return method.invocation(new Object[] { argument }, CurrentRequest.NONE);
	}

	private LockOperation operation(Class<?> type, String method) {
		List<LockOperation> operations = find(type, method).operations();
		assertThat(operations).hasSize(1);
		return operations.get(0);
	}

	private LockedMethod find(Class<?> type, String method) {
		return TestOperations.find(source(), type, method);
	}

	private LockOperationSource source() {
		return TestOperations.source((name) -> this.names.getOrDefault(name, LockSettings.NONE),
				new LockSettings(TTL, null, null, null, null, null, null, null).or(this.defaults), this.keep,
				this.placeholders);
	}

	private static LockSettings wait(@Nullable Duration wait) {
		return new LockSettings(null, wait, null, null, null, null, null, null);
	}

	private static Duration duration(String text) {
		return Duration.parse("PT" + text);
	}

	static class Policies {

		@ExclusiveRequest(name = "reject")
		public void reject() {
		}

		@ExclusiveRequest(name = "wait", onConflict = OnConflict.WAIT)
		public void wait(String any) {
		}

		@ExclusiveRequest(name = "shared", onConflict = OnConflict.SHARE)
		public String share() {
			return "done";
		}

		@ExclusiveRequest(name = "skip", onConflict = OnConflict.SKIP)
		public void skip() {
		}

		@ExclusiveRequest(name = "briefly", onConflict = OnConflict.WAIT, waitTime = "1s", status = 423)
		public void briefly() {
		}

	}

	static class Named {

		@ExclusiveRequest
		public void method(int number, String[] texts) {
		}

	}

	static class SubclassOfNamed extends Named {

	}

	@Controller
	static class Placeholders {

		@PostMapping("/")
		@ResponseBody
		@ExclusiveRequest(name = "${name}", key = "#key", ttl = "${time}", replay = "${time}", keep = "${keep}")
		public String method(String key) {
			return "done";
		}

	}

	@Controller
	static class Replaying {

		@PostMapping("/")
		@ResponseBody
		@ExclusiveRequest(key = "#key", replay = "1h")
		public String method(String key) {
			return "done";
		}

		@PostMapping("/own")
		@ResponseBody
		@ExclusiveRequest(key = "#key", replay = "1h", keep = "values")
		public String own(String key) {
			return "done";
		}

	}

	static class ReplayingService {

		@ExclusiveRequest(key = "#key", replay = "1h")
		public String method(String key) {
			return "done";
		}

		@ExclusiveRequest(key = "#key", replay = "1h", keep = "values")
		public String own(String key) {
			return "done";
		}

	}

	@Controller
	static class ReplayingStream {

		@PostMapping("/")
		@ResponseBody
		@ExclusiveRequest(key = "#key", replay = "1h")
		public String method(String key, InputStream body) {
			return "done";
		}

	}

	static class ReplayOfStream {

		@ExclusiveRequest(key = "#key", replay = "1h")
		public String method(String key, InputStream body) {
			return "done";
		}

	}

	static class ReplayByResolver {

		@ExclusiveRequest(keyResolver = "unknown", replay = "1h")
		public String method() {
			return "done";
		}

	}

	static class Several {

		@ExclusiveRequest(keys = "#all")
		public void method(List<?> all) {
		}

	}

	static class KeysOfText {

		@ExclusiveRequest(keys = "#one")
		public void method(String one) {
		}

	}

	@Controller
	static class FingerprintWithoutReplay {

		@PostMapping("/")
		@ResponseBody
		@ExclusiveRequest(key = "#one", onConflict = OnConflict.SHARE, fingerprint = "+header.X-Tenant")
		public String method(String one) {
			return "done";
		}

	}

	static class WithoutUnit {

		@ExclusiveRequest(ttl = "500")
		public void method() {
		}

	}

	static class ZeroWithoutUnit {

		@ExclusiveRequest(waitTime = "0")
		public void method() {
		}

	}

	static class TwoKeys {

		@ExclusiveRequest(key = "#one", keys = "#all")
		public void method(String one, List<String> all) {
		}

	}

	static class SharedAndOther {

		@ExclusiveRequest(key = "#one", onConflict = OnConflict.SHARE)
		@ExclusiveRequest(name = "other")
		public String method(String one) {
			return "done";
		}

	}

	static class SharedKeys {

		@ExclusiveRequest(keys = "#all", onConflict = OnConflict.SHARE)
		public String method(List<String> all) {
			return "done";
		}

	}

	static class ReplayWithoutKey {

		@ExclusiveRequest(replay = "1h")
		public String method() {
			return "done";
		}

	}

	static class KeepWithoutReplay {

		@ExclusiveRequest(key = "#one", keep = "values")
		public String method(String one) {
			return "done";
		}

	}

	static class StatusesOfService {

		@ExclusiveRequest(key = "#one", replay = "1h", keep = "2xx")
		public String method(String one) {
			return "done";
		}

	}

	static class FingerprintOfService {

		@ExclusiveRequest(key = "#one", replay = "1h", fingerprint = "+header.X-Tenant")
		public String method(String one) {
			return "done";
		}

	}

	static class HeldAndShared {

		@ExclusiveRequest(key = "#one", onConflict = OnConflict.SHARE, holdAtLeast = "1s")
		public String method(String one) {
			return "done";
		}

	}

	static class UnknownResolver {

		@ExclusiveRequest(keyResolver = "unknown")
		public void method() {
		}

	}

	static class Uncovered {

		public void inherited() {
		}

	}

	interface OfApplication {

		void ofInterface();

	}

	@ExclusiveRequest(name = "class")
	static class Covered extends Uncovered implements Runnable, OfApplication {

		@Override
		public void ofInterface() {
		}

		public void plain() {
			hidden();
		}

		@ExclusiveRequest(name = "own")
		public void own() {
		}

		/** A callback of Java. */
		@Override
		public void run() {
		}

		private void hidden() {
		}

		static void ofClass() {
		}

		@Override
		public String toString() {
			return "covered";
		}

	}

	@ExclusiveRequest(name = "stream")
	static class CoveredStream extends ByteArrayOutputStream {

		public void own() {
		}

	}

	@ExclusiveRequest(name = "elsewhere")
	static class CoveredElsewhere extends Inherited.Plain {

		public void own() {
		}

	}

	@ExclusiveRequest(name = "callbacks")
	static class CoveredCallbacks implements ApplicationListener<ContextRefreshedEvent>, Consumer<String> {

		@Override
		public void onApplicationEvent(ContextRefreshedEvent event) {
		}

		@Override
		public void accept(String text) {
		}

	}

	@Controller
	@ExclusiveRequest(name = "controller")
	static class CoveredController {

		@PostMapping("/")
		@ResponseBody
		public String handle() {
			return "done";
		}

		@PostMapping("/model")
		@ModelAttribute("model")
		public String handleModel() {
			return "done";
		}

		@ModelAttribute("other")
		public String prepare() {
			return "done";
		}

		@InitBinder
		public void bind() {
		}

		@ExceptionHandler(IllegalStateException.class)
		@ResponseBody
		public String follow() {
			return "failed";
		}

	}

	interface Farther {

		@ExclusiveRequest(name = "farther")
		void method();

	}

	static class Nearer implements Farther {

		@Override
		@ExclusiveRequest(name = "one")
		@ExclusiveRequest(name = "two")
		public void method() {
		}

	}

	static class Overriding extends Nearer {

		@Override
		public void method() {
		}

	}

	interface Unnamed {

		@ExclusiveRequest
		void method();

	}

	interface First extends Unnamed {

	}

	interface Second extends Unnamed {

	}

	@FunctionalInterface
	interface Locked {

		@ExclusiveRequest(name = "locked")
		void locked();

	}

	static class Reactive {

		@ExclusiveRequest(name = "reactive")
		public Mono<String> method() {
			return Mono.just("done");
		}

	}

	static class SharingReactive {

		@ExclusiveRequest(name = "sharing", onConflict = OnConflict.SHARE)
		public Mono<String> method() {
			return Mono.just("done");
		}

	}

	static class ReplayingReactive {

		@ExclusiveRequest(name = "replaying", key = "#key", replay = "1h")
		public Mono<String> method(String key) {
			return Mono.just("done");
		}

	}

}
