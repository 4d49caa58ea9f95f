package io.github.lockstarter.compatibility;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.task.TaskExecutor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.concurrent.DelegatingSecurityContextExecutor;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.security.task.DelegatingSecurityContextAsyncTaskExecutor;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.MissingLockKeyException;
import io.github.lockstarter.annotation.ExclusiveRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Annotated methods of services that are called outside of a request, as by a scheduler
 * or a listener. Their principal is that of Spring Security.
 */
@SpringBootTest(classes = PrincipalOutsideRequestsTests.Application.class, properties = "lock.store=memory",
		webEnvironment = SpringBootTest.WebEnvironment.NONE)
class PrincipalOutsideRequestsTests {

	@AutoClose("shutdown")
	private static final ExecutorService threads = Executors.newCachedThreadPool();

	@Autowired
	private Service service;

	@Autowired
	private LockRegistry locks;

	@ParameterizedTest
	@EnumSource
	@DisplayName("Outside of a request, the principal is the user of the calling thread, or of the subscriber")
	void user(Way way) {
		try (Lease held = this.locks.acquire("own:alice")) {
			assertThatExceptionOfType(LockConflictException.class)
				.isThrownBy(() -> way.call(this.service, user("alice")));
			assertThat(way.call(this.service, user("bob"))).isEqualTo("done");
			assertThat(held.isHeld()).isTrue();
		}
		assertThat(way.call(this.service, user("alice"))).isEqualTo("done");
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("An anonymous caller has no principal")
	void anonymous(Way way) {
		Authentication anonymous = new AnonymousAuthenticationToken("key", "anonymousUser",
				AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS"));
		assertThatExceptionOfType(MissingLockKeyException.class).isThrownBy(() -> way.call(this.service, anonymous));
	}

	@Test
	@DisplayName("A caller without a security context has no principal")
	void nobody() {
		assertThatExceptionOfType(MissingLockKeyException.class).isThrownBy(this.service::own);
	}

	@Test
	@DisplayName("A result that is kept for one user is not given to another one")
	void replayed() {
		assertThat(as(user("alice"), this.service::number)).isEqualTo(1);
		assertThat(as(user("bob"), this.service::number)).isEqualTo(2);
		assertThat(as(user("alice"), this.service::number)).isEqualTo(1);
		assertThat(as(user("bob"), this.service::number)).isEqualTo(2);
	}

	@Test
	@DisplayName("A key that reads the user name of the UserDetails prevents startup")
	void userName() {
		new ApplicationContextRunner().withUserConfiguration(Application.class, Misread.class)
			.withPropertyValues("lock.store=memory")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(LockConfigurationException.class,
						(ex) -> assertThat(ex.getAction()).contains("principal.name")));
	}

	private static Authentication user(String name) {
		return new TestingAuthenticationToken(name, "", "ROLE_USER");
	}

	private static <T> T as(Authentication user, Supplier<T> call) {
		SecurityContextHolder.setContext(new SecurityContextImpl(user));
		try {
			return call.get();
		}
		finally {
			SecurityContextHolder.clearContext();
		}
	}

	/** The ways in which a user calls the service. */
	enum Way {

		THREAD {

			@Override
			String call(Service service, Authentication user) {
				return as(user, service::own);
			}

		},

		EXECUTOR {

			@Override
			String call(Service service, Authentication user) {
				return as(user, () -> join(
						CompletableFuture.supplyAsync(service::own, new DelegatingSecurityContextExecutor(threads))));
			}

		},

		ASYNC {

			@Override
			String call(Service service, Authentication user) {
				return as(user, () -> join(service.ownAsync()));
			}

		},

		STAGE {

			@Override
			String call(Service service, Authentication user) {
				return join(as(user, service::ownStage));
			}

		},

		MONO {

			@Override
			String call(Service service, Authentication user) {
				return as(user, () -> service.ownMono().block());
			}

		},

		MONO_OF_OTHER_THREAD {

			@Override
			String call(Service service, Authentication user) {
				return as(user, () -> service.ownMono().subscribeOn(Schedulers.boundedElastic()).block());
			}

		},

		SUBSCRIBER {

			@Override
			String call(Service service, Authentication user) {
				return service.ownMono().contextWrite(ReactiveSecurityContextHolder.withAuthentication(user)).block();
			}

		},

		SUBSCRIBER_BEFORE_THREAD {

			@Override
			String call(Service service, Authentication user) {
				return as(user("somebody else"),
						() -> service.ownMono()
							.contextWrite(ReactiveSecurityContextHolder.withAuthentication(user))
							.block());
			}

		};

		abstract String call(Service service, Authentication user);

		private static String join(CompletableFuture<String> future) {
			try {
				return future.orTimeout(1, TimeUnit.MINUTES).join();
			}
			catch (CompletionException ex) {
				throw (RuntimeException) ex.getCause();
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableAsync
	@Import(Service.class)
	static class Application {

		@Bean
		TaskExecutor taskExecutor() {
			return new DelegatingSecurityContextAsyncTaskExecutor(new SimpleAsyncTaskExecutor());
		}

	}

	static class Service {

		private int runs;

		@ExclusiveRequest(name = "own", key = "principal.name")
		String own() {
			return "done";
		}

		@Async
		@ExclusiveRequest(name = "own", key = "principal.name")
		CompletableFuture<String> ownAsync() {
			return CompletableFuture.completedFuture("done");
		}

		@ExclusiveRequest(name = "own", key = "principal.name", waitTime = "1ms")
		CompletableFuture<String> ownStage() {
			return CompletableFuture.completedFuture("done");
		}

		@ExclusiveRequest(name = "own", key = "principal.name")
		Mono<String> ownMono() {
			return Mono.just("done");
		}

		@ExclusiveRequest(name = "number", key = "'all'", replay = "1h")
		Integer number() {
			this.runs++;
			return this.runs;
		}

	}

	static class Misread {

		@ExclusiveRequest(name = "own", key = "principal.username")
		void own() {
		}

	}

}
