package io.github.lockstarter.frontdoors.grpc;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.grpc.server.exception.GrpcExceptionHandler;
import org.springframework.grpc.server.lifecycle.GrpcServerLifecycle;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.MissingLockKeyException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.frontdoors.Work;
import io.github.lockstarter.registry.LockInspector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * Locks in Spring gRPC, with a server on a port of its own and no web server.
 */
@SpringBootTest(classes = GrpcTests.GrpcApplication.class, webEnvironment = WebEnvironment.NONE,
		properties = { "spring.grpc.server.port=0", "spring.grpc.server.address=127.0.0.1" })
@ExtendWith(OutputCaptureExtension.class)
class GrpcTests {

	private static final String PROBLEMS = "https://api.example.com/problems/";

	@Autowired
	private Work work;

	@Autowired
	private PaymentService service;

	@Autowired
	private LockInspector inspector;

	private ManagedChannel channel;

	@BeforeEach
	void connect(@Autowired GrpcServerLifecycle server) {
		this.channel = Grpc
			.newChannelBuilderForAddress("127.0.0.1", server.getPort(), InsecureChannelCredentials.create())
			.build();
	}

	@AfterEach
	void disconnect() throws InterruptedException {
		this.work.reset();
		this.channel.shutdownNow();
		assertThat(this.channel.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	@DisplayName("Of two calls at once one runs, and the other one is aborted with the time after which to retry")
	void oneRuns(CapturedOutput output) {
		CompletableFuture<String> first = callAsync("Pay", "42");
		this.work.awaitBegun();
		StatusRuntimeException rejected = rejected("Pay", "42");
		assertThat(rejected.getStatus().getCode()).isEqualTo(Code.ABORTED);
		assertThat(rejected.getStatus().getDescription())
			.isEqualTo("Another request for the same resource is being processed. Retry later.");
		assertThat(trailer(rejected, "problem-type")).isEqualTo(PROBLEMS + "request-in-progress");
		assertThat(Long.parseLong(trailer(rejected, "retry-after-millis"))).isPositive();
		this.work.end();
		assertThat(first.join()).isEqualTo("1");
		assertThat(this.work.mostInside()).isEqualTo(1);
		this.work.end();
		assertThat(call("Pay", "42")).isEqualTo("2");
		assertThat(output).doesNotContain(" ERROR ").doesNotContain("SEVERE");
	}

	@Test
	@DisplayName("With WAIT, the second call runs after the first one")
	void waits() {
		CompletableFuture<String> first = callAsync("PayPatiently", "42");
		this.work.awaitBegun();
		CompletableFuture<String> second = callAsync("PayPatiently", "42");
		await().until(() -> this.inspector.waiters("payment") == 1);
		this.work.end();
		this.work.awaitBegun();
		this.work.end();
		assertThat(List.of(first.join(), second.join())).containsExactly("1", "2");
		assertThat(this.work.mostInside()).isEqualTo(1);
	}

	@Test
	@DisplayName("A response that outlives its method outlives the lock")
	void responseAfterTheMethod() {
		CompletableFuture<String> first = callAsync("PayLater", "42");
		this.work.awaitBegun();
		CompletableFuture<String> second = callAsync("PayLater", "42");
		this.work.awaitBegun();
		assertThat(this.work.mostInside()).isEqualTo(2);
		this.work.end();
		this.work.end();
		CompletableFuture.allOf(first, second).join();
	}

	@Test
	@DisplayName("A missing key is an invalid argument")
	void keyMissing() {
		StatusRuntimeException rejected = rejected("Pay", " ");
		assertThat(rejected.getStatus().getCode()).isEqualTo(Code.INVALID_ARGUMENT);
		assertThat(trailer(rejected, "problem-type")).isEqualTo(PROBLEMS + "key-missing");
		assertThat(trailer(rejected, "retry-after-millis")).isNull();
	}

	@ParameterizedTest
	@CsvSource({ "wait-queue-full, RESOURCE_EXHAUSTED, 1500", "payload-mismatch, FAILED_PRECONDITION,",
			"lease-lost, ABORTED,", "lock-store-unavailable, UNAVAILABLE, 1000" })
	@DisplayName("Each kind of exception has its own type, and none names the key")
	void otherProblems(String problem, Code code, String retryAfter) {
		StatusRuntimeException rejected = rejected("Fail", problem);
		assertThat(rejected.getStatus().getCode()).isEqualTo(code);
		assertThat(trailer(rejected, "problem-type")).isEqualTo(PROBLEMS + problem);
		assertThat(trailer(rejected, "retry-after-millis")).isEqualTo(retryAfter);
		assertThat(rejected.getStatus().getDescription()).doesNotContain("secret").doesNotContain("connection");
	}

	@Test
	@DisplayName("Exceptions of the application end a call as without the library")
	void otherExceptions() {
		StatusRuntimeException rejected = rejected("Fail", "any");
		assertThat(rejected.getStatus().getCode()).isEqualTo(Code.UNKNOWN);
		assertThat(trailer(rejected, "problem-type")).isNull();
	}

	@Test
	@DisplayName("A key that reads a header is an invalid argument, and the exception says that there is no request")
	void header() {
		assertThat(rejected("Order", "42").getStatus().getCode()).isEqualTo(Code.INVALID_ARGUMENT);
		assertThatExceptionOfType(MissingLockKeyException.class).isThrownBy(() -> this.service.order("42", mock()))
			.withMessage("The key of lock 'order' reads the HTTP request, but this call belongs to none");
	}

	@Test
	@DisplayName("A handler of the application takes precedence")
	void handlerOfTheApplication() throws InterruptedException {
		try (ConfigurableApplicationContext context = start(OwnHandler.class)) {
			disconnect();
			connect(context.getBean(GrpcServerLifecycle.class));
			assertThat(rejected("Pay", " ").getStatus().getCode()).isEqualTo(Code.CANCELLED);
		}
	}

	@Test
	@DisplayName("A service that binds its methods without its proxy prevents startup")
	void boundWithoutProxy() {
		assertNotStarted(Unproxied.class, Unproxied.class.getName(), "bindService()");
	}

	@Test
	@DisplayName("A method whose client could wait for ever prevents startup")
	void skipped() {
		assertNotStarted(Skipping.class, "would leave the client without a response");
		assertNotStarted(Replaying.class, "would leave the client without a response");
	}

	@Test
	@DisplayName("A lazy service is not created for its check")
	void lazy() {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(GrpcApplication.class)
			.web(WebApplicationType.NONE)
			.lazyInitialization(true)
			.run("--spring.grpc.server.enabled=false")) {
			assertThat(context.getBeanFactory().containsSingleton(PaymentService.class.getName())).isFalse();
			assertThat(context.getBean(PaymentService.class)).isNotNull();
			assertThat(context.getBeanFactory().containsSingleton(PaymentService.class.getName())).isTrue();
		}
	}

	private static void assertNotStarted(Class<?> service, String... words) {
		assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> start(service))
			.havingRootCause()
			.isInstanceOf(LockConfigurationException.class)
			.withMessageContainingAll(words);
	}

	private static ConfigurableApplicationContext start(Class<?> bean) {
		return new SpringApplicationBuilder(GrpcApplication.class, bean).web(WebApplicationType.NONE)
			.properties("spring.grpc.server.port=0", "spring.grpc.server.address=127.0.0.1")
			.run();
	}

	private String call(String method, String request) {
		return ClientCalls.blockingUnaryCall(this.channel, PaymentsGrpc.method(method), CallOptions.DEFAULT, request);
	}

	private CompletableFuture<String> callAsync(String method, String request) {
		return CompletableFuture.supplyAsync(() -> call(method, request), Work.THREADS);
	}

	private StatusRuntimeException rejected(String method, String request) {
		try {
			throw new AssertionError("the call has returned " + call(method, request));
		}
		catch (StatusRuntimeException ex) {
			return ex;
		}
	}

	private static String trailer(StatusRuntimeException rejected, String name) {
		Metadata trailers = rejected.getTrailers();
		return (trailers != null) ? trailers.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER)) : null;
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(PaymentService.class)
	static class GrpcApplication {

		@Bean
		Work work() {
			return new Work();
		}

	}

	static class OwnHandler implements GrpcExceptionHandler {

		@Override
		public @Nullable StatusException handleException(Throwable exception) {
			return (exception instanceof MissingLockKeyException) ? Status.CANCELLED.asException() : null;
		}

	}

	/** Its {@code bindService()} is called on the target of the proxy. */
	static class Unproxied implements BindableService {

		@Override
		public ServerServiceDefinition bindService() {
			return ServerServiceDefinition.builder("Unproxied").build();
		}

		@ExclusiveRequest(name = "payment", key = "#id")
		public void pay(String id, StreamObserver<String> responses) {
			responses.onCompleted();
		}

	}

	/** Its {@code bindService()} is final, as in generated code. */
	abstract static class Bound implements BindableService {

		@Override
		public final ServerServiceDefinition bindService() {
			return ServerServiceDefinition.builder("Bound").build();
		}

	}

	static class Skipping extends Bound {

		@ExclusiveRequest(name = "skipped", key = "#id", onConflict = OnConflict.SKIP)
		public void pay(String id, StreamObserver<String> responses) {
			responses.onCompleted();
		}

	}

	static class Replaying extends Bound {

		@ExclusiveRequest(name = "replayed", key = "#id", replay = "1h")
		public void pay(String id, StreamObserver<String> responses) {
			responses.onCompleted();
		}

	}

}
