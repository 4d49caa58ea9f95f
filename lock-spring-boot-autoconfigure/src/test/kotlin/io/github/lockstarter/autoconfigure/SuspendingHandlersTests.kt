package io.github.lockstarter.autoconfigure

import io.github.lockstarter.testing.TestRedis
import io.github.lockstarter.testing.TestServer
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.junit.jupiter.params.AfterParameterizedClassInvocation
import org.junit.jupiter.params.BeforeParameterizedClassInvocation
import org.junit.jupiter.params.Parameter
import org.junit.jupiter.params.ParameterizedClass
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import org.junit.jupiter.params.provider.ValueSource
import org.springframework.data.redis.core.StringRedisTemplate
import org.springframework.http.HttpStatus
import org.springframework.web.server.ResponseStatusException
import java.net.http.HttpResponse
import java.util.UUID
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit

/**
 * The lock covers the work of a suspending handler, in Spring MVC and in WebFlux.
 */
@Tag("jdk")
@ParameterizedClass
@ValueSource(strings = ["servlet", "reactive"])
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SuspendingHandlersTests {

	@Parameter
	lateinit var type: String

	private lateinit var server: TestServer

	private lateinit var gates: Gates

	private lateinit var redis: StringRedisTemplate

	private lateinit var taro: String

	@BeforeParameterizedClassInvocation
	fun start() {
		server = TestServer.start(
			arrayOf(TestServer.CompleteApplication::class.java, Gates::class.java, SuspendingHandlers::class.java),
			*TestRedis.properties(),
			"lock.redis.key-prefix=suspending",
			"spring.main.web-application-type=$type",
		)
		gates = server.context().getBean(Gates::class.java)
		redis = server.context().getBean(StringRedisTemplate::class.java)
	}

	@AfterParameterizedClassInvocation
	fun stop() = server.close()

	@BeforeEach
	fun newKey() {
		taro = "taro-${UUID.randomUUID()}"
	}

	@AfterEach
	fun leavesNoLock() = await().untilAsserted { assertThat(redis.keys("suspending:{*")).isEmpty() }

	@ParameterizedTest
	@CsvSource("value, 200", "nothing, 200", "entity, 201", "lease, 200", "flow, 200", "suspended-flow, 200")
	@DisplayName("While a suspending handler runs, a request with the same key is rejected, and one with another key runs; then the next runs")
	fun excludes(handler: String, success: Int) {
		val first = begin(handler)
		assertThat(status(handler)).isEqualTo(409)
		gates["jiro"].open()
		assertThat(status(handler, "jiro")).isEqualTo(success)
		assertThat(first).isNotDone()
		gates[taro].open()
		assertThat(response(first).statusCode()).isEqualTo(success)
		assertThat(status(handler)).isEqualTo(success)
		assertThat(gates[taro].arrivals).isEqualTo(2)
	}

	@Test
	@DisplayName("When a suspending handler fails, its exception is the response, and the next request runs")
	fun fails() {
		val first = begin("value")
		gates[taro].fail(ResponseStatusException(HttpStatus.GONE))
		assertThat(response(first).statusCode()).isEqualTo(410)
		assertThat(status("value")).isEqualTo(410)
		assertThat(gates[taro].arrivals).isEqualTo(2)
	}

	@Test
	@DisplayName("When the coroutine of a handler is cancelled, the next request runs")
	fun cancelled() {
		val first = begin("value")
		gates[taro].cancel()
		response(first)
		assertThat(status("value")).isNotEqualTo(409)
		assertThat(gates[taro].arrivals).isEqualTo(2)
	}

	@ParameterizedTest
	@ValueSource(strings = ["value", "flow"])
	@DisplayName("When the client disconnects, WebFlux cancels the handler and the next request runs; in MVC the next runs when the handler ends")
	fun clientGone(handler: String) {
		begin(handler).cancel(true)
		if (type == "reactive") {
			await().until { gates[taro].cancellations == 1 }
		} else {
			assertThat(status(handler)).isEqualTo(409)
		}
		gates[taro].open()
		await().until { status(handler) == 200 }
		assertThat(gates[taro].arrivals).isEqualTo(2)
	}

	@Test
	@DisplayName("The Lease parameter of a suspending handler is held until its end; without a lock it is null")
	fun lease() {
		val first = begin("lease")
		gates[taro].open()
		assertThat(response(first).body()).isEqualTo("held: true, true")
		assertThat(response(post("conditional")).body()).isEqualTo("no lease")
	}

	@ParameterizedTest
	@ValueSource(strings = ["flow", "suspended-flow"])
	@DisplayName("A returned flow is passed on unchanged")
	fun flow(handler: String) {
		gates[taro].open()
		assertThat(response(post(handler)).body()).isEqualTo("begin, end")
	}

	/** Sends a request, and waits until its handler runs. */
	private fun begin(handler: String): CompletableFuture<HttpResponse<String>> {
		val request = post(handler)
		await().until { gates[taro].arrivals == 1 }
		return request
	}

	private fun post(handler: String, key: String = taro) = server.postAsync("/$handler?key=$key")

	private fun response(request: CompletableFuture<HttpResponse<String>>) = request.get(10, TimeUnit.SECONDS)

	private fun status(handler: String, key: String = taro) = response(post(handler, key)).statusCode()

}
