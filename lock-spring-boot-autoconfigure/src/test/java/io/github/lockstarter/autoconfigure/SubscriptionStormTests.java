package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.core.StringRedisTemplate;

import org.springframework.test.util.ReflectionTestUtils;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

class SubscriptionStormTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				LockAutoConfiguration.class))
		.withPropertyValues(TestRedis.properties())
		.withPropertyValues("lock.redis.key-prefix=storm", "lock.wait=5s", "lock.ttl=1m", "lock.max-waiters=10000")
		.withBean(Service.class);

	@Test
	@DisplayName("Subscriptions and futures that are cancelled at any time leave no lock behind")
	void cancelled() {
		this.runner.run((context) -> {
			Service service = context.getBean(Service.class);
			Flux.range(0, 4000).flatMap((i) -> Mono.fromRunnable(() -> {
				Disposable subscription = subscribable(service, i).subscribe((value) -> {
				}, (failure) -> {
				});
				Schedulers.parallel()
					.schedule(subscription::dispose, ThreadLocalRandom.current().nextInt(3000), TimeUnit.MICROSECONDS);
			}).subscribeOn(Schedulers.boundedElastic()), 8).blockLast(Duration.ofSeconds(60));
			StringRedisTemplate redis = context.getBean(StringRedisTemplate.class);
			Awaitility.await().until(() -> redis.keys("storm:{*").isEmpty());
			assertThat(service.served()).isPositive();
		});
	}

	@Test
	@DisplayName("A subscription that is cancelled between the grant and its delivery leaves no lock behind")
	void cancelledInBetween() {
		this.runner.run((context) -> {
			Service service = context.getBean(Service.class);
			Disposable.Swap subscription = Disposables.swap();
			AtomicBoolean granted = new AtomicBoolean();
			Hooks.onEachOperator("granted", (publisher) -> {
				if (publisher.getClass().getSimpleName().equals("MonoCompletionStage")
						&& granted.compareAndSet(false, true)) {
					Future<?> grant = (Future<?>) ReflectionTestUtils.getField(publisher, "future");
					Awaitility.await().until(grant::isDone);
					subscription.dispose();
				}
				return publisher;
			});
			try {
				subscription.update(service.mono("k").subscribeOn(Schedulers.boundedElastic()).subscribe());
				Awaitility.await().untilTrue(granted);
				StringRedisTemplate redis = context.getBean(StringRedisTemplate.class);
				Awaitility.await().until(() -> redis.keys("storm:fence:*").size() > 0);
				Awaitility.await().until(() -> subscription.isDisposed() && redis.keys("storm:{*").isEmpty());
			}
			finally {
				Hooks.resetOnEachOperator("granted");
			}
			assertThat(service.served()).isZero();
		});
	}

	private static Flux<Integer> subscribable(Service service, int i) {
		return switch (i % 3) {
			case 0 -> service.mono("k").flux();
			case 1 -> service.flux("k");
			default -> Mono.fromFuture(() -> service.future("k")).flux();
		};
	}

	static class Service {

		private final AtomicInteger served = new AtomicInteger();

		int served() {
			return this.served.get();
		}

		@ExclusiveRequest(name = "storm", key = "#key")
		public Mono<Integer> mono(String key) {
			return Mono.fromCallable(this.served::incrementAndGet).delayElement(Duration.ofNanos(100_000));
		}

		@ExclusiveRequest(name = "storm", key = "#key")
		public Flux<Integer> flux(String key) {
			return mono(key).concatWith(Mono.just(1));
		}

		@ExclusiveRequest(name = "storm", key = "#key")
		public CompletableFuture<Integer> future(String key) {
			return mono(key).toFuture();
		}

	}

}
