package io.github.lockstarter.sample;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringApplication;

import io.github.lockstarter.testing.TestServer;

/**
 * Points that are granted when the test says so, in the servers that it starts.
 */
class HeldPoints {

	private final AtomicInteger requests = new AtomicInteger();

	private volatile CountDownLatch granted = new CountDownLatch(0);

	/** Starts the sample with these points. */
	TestServer start(String... properties) {
		SpringApplication application = new SpringApplication(SampleApplication.class);
		application.setMainApplicationClass(SampleApplication.class);
		application.addInitializers((context) -> context.getBeanFactory().addBeanPostProcessor(new Replacement()));
		return TestServer.start(application, properties);
	}

	/** Lets all requests from now on wait. */
	void hold() {
		this.requests.set(0);
		this.granted = new CountDownLatch(1);
	}

	/** Waits until so many requests wait for their points. */
	void awaitRequests(int count) {
		Awaitility.await().until(() -> this.requests.get() == count);
	}

	/** Lets all requests go on. */
	void grant() {
		this.granted.countDown();
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
		void grant(long userId, int points) {
			CountDownLatch until = HeldPoints.this.granted;
			HeldPoints.this.requests.incrementAndGet();
			try {
				until.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

	}

}
