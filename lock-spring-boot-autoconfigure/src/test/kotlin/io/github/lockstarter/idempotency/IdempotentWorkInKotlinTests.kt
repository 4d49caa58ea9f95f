package io.github.lockstarter.idempotency

import io.github.lockstarter.IdempotencyRegistry
import io.github.lockstarter.autoconfigure.LockAutoConfiguration
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.reactor.mono
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import java.io.IOException

class IdempotentWorkInKotlinTests {

	private val runner = ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration::class.java))
		.withPropertyValues("lock.store=memory")

	@Test
	@DisplayName("Work in Kotlin returns what is not null, and names the type of its exceptions")
	fun call() {
		runner.run { context ->
			val work = context.getBean(IdempotencyRegistry::class.java).work("webhook:1", Receipt::class.java)
			val receipt: Receipt = work.call<IOException> { Receipt("one") }
			assertThat(work.call<IOException> { throw IOException("not called") }).isEqualTo(receipt)
		}
	}

	@Test
	@DisplayName("Suspending work is reactive work")
	fun suspending() {
		runner.run { context ->
			val work = context.getBean(IdempotencyRegistry::class.java).work("webhook:1", Receipt::class.java)
			runBlocking {
				val receipt: Receipt = work.reactive().call { mono { Receipt("one") } }.awaitSingle()
				assertThat(work.reactive().call { mono { Receipt("two") } }.awaitSingle()).isEqualTo(receipt)
			}
		}
	}

	data class Receipt(val id: String)

}
