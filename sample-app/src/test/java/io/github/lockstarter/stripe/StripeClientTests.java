package io.github.lockstarter.stripe;

import java.io.IOException;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

import com.stripe.StripeClient;
import com.stripe.exception.CardException;
import com.stripe.exception.StripeException;
import com.stripe.model.PaymentIntent;
import com.stripe.net.RequestOptions;
import com.stripe.param.PaymentIntentCreateParams;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.SpringApplication;

import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.sample.SampleApplication;
import io.github.lockstarter.testing.TcpProxy;
import io.github.lockstarter.testing.TcpProxy.Loss;
import io.github.lockstarter.testing.TestRedis;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The Java client of Stripe, which repeats a request with its key when there is no
 * response in time or the response is a conflict, against two instances of the sample.
 */
@Tag("once")
class StripeClientTests {

	private static TestServer first;

	private static TestServer second;

	private TcpProxy proxy;

	private StripeClient client;

	@BeforeAll
	static void start() {
		first = startInstance();
		second = startInstance();
	}

	@AfterAll
	static void stop() {
		first.close();
		second.close();
	}

	private static TestServer startInstance() {
		SpringApplication application = new SpringApplication(SampleApplication.class, PaymentIntents.class,
				KeyRecorder.class);
		application.setMainApplicationClass(SampleApplication.class);
		return TestServer.start(application,
				Stream
					.concat(Stream.of(TestRedis.properties()),
							Stream.of("lock.redis.key-prefix=stripe",
									"spring.datasource.url=jdbc:h2:mem:stripe;DB_CLOSE_DELAY=-1"))
					.toArray(String[]::new));
	}

	@BeforeEach
	void connect() {
		PaymentIntents.charges.clear();
		PaymentIntents.keys.clear();
		this.proxy = new TcpProxy(first.port(), second.port());
		this.client = StripeClient.builder()
			.setApiKey("sk_test_nobody")
			.setApiBase("http://127.0.0.1:" + this.proxy.port())
			.setReadTimeout(1000)
			.setMaxNetworkRetries(8)
			.build();
	}

	@ParameterizedTest
	@EnumSource(names = { "REQUEST", "REPLY", "HALF_OF_REPLY" })
	@DisplayName("A payment whose connection is lost is made once, and the client gets its response")
	void lost(Loss loss) throws StripeException {
		this.proxy.breakNext(loss);
		PaymentIntent payment = pay(500);
		assertThat(PaymentIntents.charges).containsExactly(payment.getId());
		assertThat(payment.getLastResponse().code()).isEqualTo(200);
		if (loss != Loss.REQUEST) {
			assertThat(payment.getLastResponse().headers().firstValue("Idempotent-Replayed")).hasValue("true");
		}
		assertOneKey();
	}

	@Test
	@DisplayName("A payment whose connections to both instances are lost in turn is made once, and the client gets its response")
	void lostAgainAndAgain() throws StripeException {
		this.proxy.breakNext(Loss.REQUEST, Loss.REPLY, Loss.HALF_OF_REPLY);
		PaymentIntent payment = pay(500);
		assertThat(PaymentIntents.charges).containsExactly(payment.getId());
		assertOneKey();
	}

	@Test
	@DisplayName("A client that gets a truncated response does not retry by itself, and a retry with its key gets the whole response")
	void halfAResponse() throws StripeException {
		// Ensures that half of the response ends after its headers.
		PaymentIntentCreateParams params = payment(500).setDescription("tea ".repeat(1000)).build();
		RequestOptions key = RequestOptions.builder().setIdempotencyKey(UUID.randomUUID().toString()).build();
		this.proxy.breakNext(Loss.END_IN_REPLY);
		assertThatExceptionOfType(StripeException.class)
			.isThrownBy(() -> this.client.v1().paymentIntents().create(params, key));
		PaymentIntent payment = this.client.v1().paymentIntents().create(params, key);
		assertThat(PaymentIntents.charges).containsExactly(payment.getId());
		assertThat(payment.getDescription()).isEqualTo(params.getDescription());
		assertThat(payment.getLastResponse().headers().firstValue("Idempotent-Replayed")).hasValue("true");
		assertThat(PaymentIntents.keys).hasSize(2);
		assertOneKey();
	}

	@Test
	@DisplayName("Another payment with the same key is rejected with 422, and the client does not retry")
	void otherPayment() throws StripeException {
		RequestOptions key = RequestOptions.builder().setIdempotencyKey(UUID.randomUUID().toString()).build();
		PaymentIntent payment = this.client.v1().paymentIntents().create(payment(500).build(), key);
		assertThatExceptionOfType(StripeException.class)
			.isThrownBy(() -> this.client.v1().paymentIntents().create(payment(501).build(), key))
			.satisfies((ex) -> assertThat(ex.getStatusCode()).isEqualTo(422));
		assertThat(PaymentIntents.charges).containsExactly(payment.getId());
		assertThat(PaymentIntents.keys).hasSize(2);
		assertOneKey();
	}

	@Test
	@DisplayName("A declined card is charged once, and the client gets the response of the exception handling")
	void declined() {
		this.proxy.breakNext(Loss.REPLY);
		assertThatExceptionOfType(CardException.class).isThrownBy(() -> pay(5000)).satisfies((ex) -> {
			assertThat(ex.getStatusCode()).isEqualTo(402);
			assertThat(ex.getCode()).isEqualTo("card_declined");
			assertThat(PaymentIntents.charges).containsExactly(ex.getCharge());
		});
		assertOneKey();
	}

	@Test
	@DisplayName("While the first attempt runs, the client retries after 409, and gets the first response")
	void stillRunning() {
		PaymentIntents.permitted = new CountDownLatch(1);
		try {
			this.proxy.breakNext(Loss.CONNECTION);
			CompletableFuture<PaymentIntent> payment = CompletableFuture.supplyAsync(() -> {
				try {
					return pay(700);
				}
				catch (StripeException ex) {
					throw new IllegalStateException(ex);
				}
			});
			Awaitility.await().until(() -> conflicts() > 0);
			PaymentIntents.permitted.countDown();
			assertThat(payment.join().getAmount()).isEqualTo(700);
			assertThat(PaymentIntents.charges).containsExactly(payment.join().getId());
			assertOneKey();
		}
		finally {
			PaymentIntents.permitted.countDown();
		}
	}

	private static long conflicts() {
		return Stream.of(first, second)
			.mapToLong((server) -> server.context().getBean(LockCounts.class).get("payment-intents", Event.CONFLICT))
			.sum();
	}

	/** The Stripe client sends the key without quotes. */
	private static void assertOneKey() {
		assertThat(PaymentIntents.keys).hasSizeGreaterThanOrEqualTo(1).doesNotContainNull();
		assertThat(Set.copyOf(PaymentIntents.keys)).singleElement().asString().matches("[0-9a-f-]{36}");
	}

	private PaymentIntent pay(long amount) throws StripeException {
		return this.client.v1().paymentIntents().create(payment(amount).build());
	}

	private static PaymentIntentCreateParams.Builder payment(long amount) {
		return PaymentIntentCreateParams.builder().setAmount(amount).setCurrency("jpy");
	}

	static class KeyRecorder implements Filter {

		@Override
		public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
				throws IOException, ServletException {
			PaymentIntents.keys.add(((HttpServletRequest) request).getHeader("Idempotency-Key"));
			chain.doFilter(request, response);
		}

	}

}
