package io.github.lockstarter.autoconfigure

import io.github.lockstarter.LockKey
import io.github.lockstarter.annotation.ExclusiveRequest
import io.github.lockstarter.annotation.OnConflict
import io.github.lockstarter.testing.TestServer
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.junit.jupiter.params.AfterParameterizedClassInvocation
import org.junit.jupiter.params.BeforeParameterizedClassInvocation
import org.junit.jupiter.params.Parameter
import org.junit.jupiter.params.ParameterizedClass
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import org.springframework.http.HttpStatus
import org.springframework.http.ResponseEntity
import org.springframework.web.bind.annotation.PostMapping
import org.springframework.web.bind.annotation.RequestParam
import org.springframework.web.bind.annotation.RestController
import java.util.UUID
import java.util.concurrent.TimeUnit

/**
 * Results of suspending handlers are shared and replayed, in Spring MVC and in WebFlux.
 */
@ParameterizedClass
@ValueSource(strings = ["servlet", "reactive"])
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SuspendingSharingTests {

	@Parameter
	lateinit var type: String

	private lateinit var server: TestServer

	private lateinit var gates: Gates

	@BeforeParameterizedClassInvocation
	fun start() {
		server = TestServer.start(
			arrayOf(TestServer.CompleteApplication::class.java, Gates::class.java, Handlers::class.java),
			"lock.store=memory",
			"spring.main.web-application-type=$type",
		)
		gates = server.context().getBean(Gates::class.java)
	}

	@AfterParameterizedClassInvocation
	fun stop() = server.close()

	@ParameterizedTest
	@ValueSource(strings = ["value", "nothing", "entity"])
	@DisplayName("Requests that wait for a suspending handler get its response, and it runs once")
	fun shares(handler: String) {
		val key = UUID.randomUUID().toString()
		val first = server.postAsync("/$handler?key=$key")
		await().until { gates[key].arrivals == 1 }
		val others = List(2) { server.postAsync("/$handler?key=$key") }
		await().until { GuardedHandlers(server).waiters(LockKey(handler, key)) == 2 }
		gates[key].open()
		val own = first.get(10, TimeUnit.SECONDS)
		assertThat(own.headers().firstValue("Idempotent-Replayed")).isEmpty()
		for (other in others) {
			val response = other.get(10, TimeUnit.SECONDS)
			assertThat(response.headers().firstValue("Idempotent-Replayed")).hasValue("true")
			assertThat(response.statusCode()).isEqualTo(own.statusCode())
			assertThat(response.body()).isEqualTo(own.body())
		}
		assertThat(gates[key].arrivals).isEqualTo(1)
	}

	@Test
	@DisplayName("A duplicate gets the stored response of a suspending handler")
	fun replays() {
		val key = UUID.randomUUID().toString()
		gates[key].open()
		assertThat(server.post("/replayed?key=$key").body()).isEqualTo(key)
		val again = server.post("/replayed?key=$key")
		assertThat(again.body()).isEqualTo(key)
		assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true")
		assertThat(gates[key].arrivals).isEqualTo(1)
	}

	@RestController
	open class Handlers(private val gates: Gates) {

		@PostMapping("/value")
		@ExclusiveRequest(name = "value", key = "#key", onConflict = OnConflict.SHARE)
		open suspend fun value(@RequestParam key: String): String {
			gates.pass(key)
			return key
		}

		@PostMapping("/nothing")
		@ExclusiveRequest(name = "nothing", key = "#key", onConflict = OnConflict.SHARE)
		open suspend fun nothing(@RequestParam key: String) {
			gates.pass(key)
		}

		@PostMapping("/entity")
		@ExclusiveRequest(name = "entity", key = "#key", onConflict = OnConflict.SHARE)
		open suspend fun entity(@RequestParam key: String): ResponseEntity<String> {
			gates.pass(key)
			return ResponseEntity.status(HttpStatus.CREATED).body(key)
		}

		@PostMapping("/replayed")
		@ExclusiveRequest(name = "replayed", key = "#key", replay = "1h")
		open suspend fun replayed(@RequestParam key: String): String {
			gates.pass(key)
			return key
		}

	}

}
