package io.github.lockstarter.idempotency

import io.github.lockstarter.IdempotencyRegistry
import io.github.lockstarter.LockKey
import io.github.lockstarter.autoconfigure.LockAutoConfiguration
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.reactor.awaitSingleOrNull
import kotlinx.coroutines.reactor.mono
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.core.ParameterizedTypeReference
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

	@Test
	@DisplayName("Work without a result returns null")
	fun withoutResult() {
		runner.run { context ->
			val registry = context.getBean(IdempotencyRegistry::class.java)
			var runs = 0
			for (work in listOf(registry.work("webhook:1"), registry.work(LockKey.of("webhook:1")))) {
				val nothing: Void? = work.call<IOException> {
					runs++
					null
				}
				assertThat(nothing).isNull()
			}
			assertThat(runs).isOne()
			runBlocking {
				registry.work("webhook:2").reactive().call { mono { null } }.awaitSingleOrNull()
			}
		}
	}

	@Test
	@DisplayName("A result may be null, if its type says so")
	fun nullable() {
		runner.run { context ->
			val registry = context.getBean(IdempotencyRegistry::class.java)
			val work = registry.work<Receipt?>("webhook:1", Receipt::class.java)
			val receipt: Receipt? = work.call<IOException> { null }
			assertThat(receipt).isNull()
			assertThat(work.call<IOException> { throw IOException("not called") }).isNull()
			val many = registry.work<List<Receipt>?>("webhook:2", object : ParameterizedTypeReference<List<Receipt>>() {})
			assertThat(many.call<IOException> { null }).isNull()
			runBlocking {
				val later: Receipt? = registry.work<Receipt?>("webhook:3", Receipt::class.java)
					.reactive()
					.call { mono { null } }
					.awaitSingleOrNull()
				assertThat(later).isNull()
			}
		}
	}

	data class Receipt(val id: String)

}
