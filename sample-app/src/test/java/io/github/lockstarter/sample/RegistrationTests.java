package io.github.lockstarter.sample;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.mockito.InOrder;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.ArgumentMatchers.isNull;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.spy;
import static org.mockito.Mockito.verify;

@Tag("jdk")
@SpringBootTest(properties = { "spring.datasource.url=jdbc:h2:mem:registration", "sample.points.latency=0ms" })
@AutoConfigureMockMvc
class RegistrationTests {

	private static final LockKey TARO = new LockKey("registration", "taro");

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private JdbcClient jdbc;

	@MockitoSpyBean
	private LockStore store;

	private StoredLock lock;

	@MockitoSpyBean
	private UserRepository users;

	@MockitoSpyBean
	private PointsService points;

	@DynamicPropertySource
	static void redis(DynamicPropertyRegistry registry) {
		registry.add("spring.data.redis.host", TestRedis::host);
		registry.add("spring.data.redis.port", TestRedis::port);
		registry.add("lock.redis.key-prefix", () -> "sample");
		registry.add("lock.redis.command-timeout", () -> "30s");
	}

	@BeforeEach
	void spyOnLock() {
		this.lock = spy(this.store.lock(TARO));
		doReturn(this.lock).when(this.store).lock(TARO);
	}

	@BeforeEach
	@AfterEach
	void clean() {
		this.jdbc.sql("delete from users").update();
		assertThat(Redis.keys("sample:{*")).isEmpty();
	}

	@Test
	@DisplayName("A registration looks up the user, locks, stores, grants points, unlocks and responds")
	void registers() {
		assertThat(post("taro")).hasStatus(201)
			.hasHeader("Location", "/users/" + userId("taro"))
			.bodyJson()
			.hasPathSatisfying("$.userId", (id) -> assertThat(id).asNumber().isEqualTo((int) userId("taro")))
			.hasPathSatisfying("$.userName", (name) -> assertThat(name).asString().isEqualTo("taro"))
			.hasPathSatisfying("$.sessionId", (session) -> assertThat(session).asString().isNotBlank())
			.hasPathSatisfying("$.points", (points) -> assertThat(points).asNumber().isEqualTo(100));
		InOrder order = inOrder(this.users, this.lock, this.points);
		order.verify(this.users).findByName("taro");
		order.verify(this.lock).acquire(argThat((command) -> command.ttl().equals(Duration.ofSeconds(5))));
		order.verify(this.users).insert(any());
		order.verify(this.points).grant(anyLong(), eq(100), eq(1));
		order.verify(this.lock).release(any(), isNull());
		assertThat(this.mvc.get().uri("/users/" + userId("taro"))).hasStatusOk();
	}

	@Test
	@DisplayName("If the lock is held: the user is looked up and the lock tried; no user is stored, no points, no unlock")
	void lockHeld() {
		this.lock.acquire(AcquireCommand.of("another instance", Duration.ofSeconds(30))).toCompletableFuture().join();
		clearInvocations(this.lock);
		assertThat(post("taro")).hasStatus(409)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
			.bodyText()
			.contains("request-in-progress")
			.doesNotContain("taro");
		verify(this.users).findByName("taro");
		verify(this.lock).acquire(any());
		verify(this.users, never()).insert(any());
		verify(this.points, never()).grant(anyLong(), anyInt(), anyInt());
		verify(this.lock, never()).release(any(), any());
		assertThat(rows("taro")).isZero();
		this.lock.release("another instance", null).toCompletableFuture().join();
	}

	@Test
	@DisplayName("If storing fails: no points, and the lock is released")
	void storingFails() {
		doThrow(new DataAccessResourceFailureException("disk full")).when(this.users).insert(any());
		assertThat(post("taro")).hasFailed();
		verify(this.points, never()).grant(anyLong(), anyInt(), anyInt());
		verify(this.lock).release(any(), isNull());
		assertThat(rows("taro")).isZero();
	}

	@Test
	@DisplayName("If granting points fails: the user is stored, and the lock is released")
	void pointsFail() {
		doThrow(new PointsUnavailableException(null)).when(this.points).grant(anyLong(), anyInt(), anyInt());
		assertThat(post("taro")).hasStatus(502).bodyText().contains("points-unavailable");
		verify(this.lock).release(any(), isNull());
		assertThat(rows("taro")).isOne();
	}

	@Test
	@DisplayName("A registered name is rejected with the sample's own problem, without a lock")
	void alreadyRegistered() {
		post("taro");
		clearInvocations(this.lock);
		assertThat(post("taro")).hasStatus(422).bodyText().contains("urn:sample:already-registered");
		verify(this.lock, never()).acquire(any());
		assertThat(rows("taro")).isOne();
	}

	@Test
	@DisplayName("A name that was registered between the look-up and the lock is rejected under the lock")
	void registeredBeforeLock() {
		doAnswer((invocation) -> {
			this.users.insert(new User(this.users.nextId(), "taro", "other", 100));
			return invocation.callRealMethod();
		}).when(this.lock).acquire(any());
		assertThat(post("taro")).hasStatus(422);
		assertThat(rows("taro")).isOne();
	}

	@Test
	@DisplayName("A blank name is rejected as a bad request")
	void blankName() {
		assertThat(post(" ")).hasStatus(400).bodyText().contains("key-missing");
	}

	@Test
	@DisplayName("A name of more than 50 characters is rejected as a bad request")
	void longName() {
		assertThat(post("a".repeat(50))).hasStatus(201);
		assertThat(post("a".repeat(51))).hasStatus(400).bodyText().contains("urn:sample:invalid-user-name");
	}

	private MvcTestResult post(String userName) {
		return this.mvc.post().uri("/users").param("userName", userName).exchange();
	}

	private long userId(String userName) {
		return this.jdbc.sql("select user_id from users where user_name = ?")
			.param(userName)
			.query(Long.class)
			.single();
	}

	private long rows(String userName) {
		return this.jdbc.sql("select count(*) from users where user_name = ?")
			.param(userName)
			.query(Long.class)
			.single();
	}

}
