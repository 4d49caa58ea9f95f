package io.github.lockstarter.sample;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.awaitility.Awaitility;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringApplication;

import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Grants points when the test releases them, in the instances that it starts.
 */
class ControlledPoints {

	private final AtomicInteger requests = new AtomicInteger();

	private volatile CountDownLatch granted = new CountDownLatch(0);

	/** Starts the sample with these points. */
	TestServer start(String... properties) {
		SpringApplication application = new SpringApplication(SampleApplication.class);
		application.setMainApplicationClass(SampleApplication.class);
		application.addInitializers((context) -> context.getBeanFactory().addBeanPostProcessor(new Replacement()));
		return TestServer.start(application, properties);
	}

	/** Makes all following requests wait. */
	void hold() {
		this.requests.set(0);
		this.granted = new CountDownLatch(1);
	}

	/** Waits until at least this number of requests waits for points. */
	void awaitRequests(int count) {
		Awaitility.await().until(() -> this.requests.get() >= count);
	}

	/** Releases all requests. */
	void grant() {
		this.granted.countDown();
	}

	/**
	 * Registers one name concurrently at two instances with the properties, and asserts
	 * that one gets 201 and the other 409.
	 */
	static void assertOneWinner(String... properties) {
		ControlledPoints points = new ControlledPoints();
		try (TestServer first = points.start(properties); TestServer second = points.start(properties)) {
			points.hold();
			List<CompletableFuture<HttpResponse<String>>> responses = Stream.of(first, second)
				.map((server) -> server.postAsync("/users?userName=taro"))
				.toList();
			Awaitility.await().until(() -> responses.stream().anyMatch(CompletableFuture::isDone));
			points.awaitRequests(1);
			points.grant();
			assertThat(responses).extracting((response) -> response.join().statusCode())
				.containsExactlyInAnyOrder(201, 409);
		}
	}

	private final class Replacement implements BeanPostProcessor {

		@Override
		public Object postProcessAfterInitialization(Object bean, String name) {
			return (bean instanceof PointsService) ? new Held() : bean;
		}

	}

	private final class Held extends PointsService {

		Held() {
			super(new SampleProperties(new SampleProperties.Points(Duration.ZERO, false),
					new SampleProperties.Reports(Duration.ZERO)));
		}

		@Override
		void grant(long userId, int points, int slowdown) {
			CountDownLatch until = ControlledPoints.this.granted;
			ControlledPoints.this.requests.incrementAndGet();
			try {
				until.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

	}

}
