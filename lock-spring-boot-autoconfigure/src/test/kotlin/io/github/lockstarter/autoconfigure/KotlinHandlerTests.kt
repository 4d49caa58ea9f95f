package io.github.lockstarter.autoconfigure

import io.github.lockstarter.annotation.ExclusiveRequest
import io.github.lockstarter.testing.TestServer
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import org.springframework.web.bind.annotation.PostMapping
import org.springframework.web.bind.annotation.RequestParam
import org.springframework.web.bind.annotation.RestController
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit

class KotlinHandlerTests {

	@Test
	@DisplayName("While a Kotlin handler runs, a request with the same key is rejected, and a request with another key runs")
	fun excludes() {
		val sources = arrayOf(TestServer.CompleteApplication::class.java, Users::class.java)
		TestServer.start(sources, "lock.store=memory").use { server ->
			val users = server.context().getBean(Users::class.java)
			val first = server.postAsync("/users?userName=taro")
			await().until { users.begun.count == 0L }
			assertThat(server.post("/users?userName=taro").statusCode()).isEqualTo(409)
			assertThat(server.post("/users?userName=jiro").body()).isEqualTo("jiro")
			users.end.countDown()
			assertThat(first.get(10, TimeUnit.SECONDS).body()).isEqualTo("taro")
			assertThat(server.post("/users?userName=taro").body()).isEqualTo("taro")
		}
	}

	@RestController
	open class Users {

		open val begun = CountDownLatch(1)

		open val end = CountDownLatch(1)

		@PostMapping("/users")
		@ExclusiveRequest(name = "users", key = "#userName")
		open fun register(@RequestParam userName: String): String {
			if (userName == "taro") {
				begun.countDown()
				end.await()
			}
			return userName
		}

	}

}
