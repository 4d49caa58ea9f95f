package io.github.lockstarter.interceptor

import io.github.lockstarter.Lease
import io.github.lockstarter.LockConflictException
import io.github.lockstarter.annotation.ExclusiveRequest
import io.github.lockstarter.operation.TestOperations
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test
import org.springframework.aop.framework.ProxyFactory
import java.util.concurrent.CompletableFuture
import java.util.concurrent.Executor

/**
 * Suspending functions, which suspend until their locks are granted.
 */
@Tag("jdk")
class SuspendingCallsTests {

	private val registry = FakeRegistry()

	private val operations = TestOperations.source()

	private val context = registry.context(CallerTasks({ Executor { it.run() } }, { listOf() }), LastRuns())

	private val target = Work { registry.released.size }

	private val work = proxy()

	@Test
	@DisplayName("Each call acquires the lock without a thread, and releases it when the function has ended")
	fun value() {
		for (calls in 1..2) {
			assertThat(runBlocking { work.value("1") }).isEqualTo("done")
			assertThat(registry.asynchronous).isEqualTo(calls)
			assertThat(registry.released).hasSize(calls).containsOnly("a:1")
		}
		assertThat(target.leases).containsOnly(registry.lease("a:1"))
	}

	@Test
	@DisplayName("If the lock is held, the caller suspends until it is granted")
	fun suspends() {
		val pending = registry.pend("a:1", CompletableFuture<Lease>())
		val lease = registry.lease("a:1")
		val granting = Thread { pending.complete(lease) }
		registry.meanwhile = Runnable { granting.start() }
		assertThat(runBlocking { work.value("1") }).isEqualTo("done")
		assertThat(target.leases).hasSize(1)
	}

	@Test
	@DisplayName("A rejection and an exception of the function are thrown to the caller")
	fun failures() {
		assertThatExceptionOfType(IllegalArgumentException::class.java)
			.isThrownBy { runBlocking { work.failing("1") } }
		assertThat(registry.released).containsExactly("a:1")
		registry.hold("a:1")
		assertThatExceptionOfType(LockConflictException::class.java).isThrownBy { runBlocking { work.value("1") } }
		assertThat(target.leases).isEmpty()
	}

	@Test
	@DisplayName("The lock is held until the last value of a flow that the function returns")
	fun flow() {
		assertThat(runBlocking { work.flow("1").toList() }).containsExactly("one", "two")
		assertThat(target.releasedBefore).containsExactly(0, 0)
		assertThat(registry.released).containsExactly("a:1")
	}

	private fun proxy(): Work {
		val interceptor = ExclusiveRequestInterceptor(operations, { context }, { RequestSupport.NONE }, { null })
		val factory = ProxyFactory(target)
		factory.isProxyTargetClass = true
		factory.addAdvisor(ExclusiveRequestAdvisor(operations, interceptor) { 0 })
		return factory.proxy as Work
	}

	open class Work(private val released: () -> Int) {

		val leases = mutableListOf<Lease?>()

		/** The number of released locks before each value of a flow. */
		val releasedBefore = mutableListOf<Int>()

		@ExclusiveRequest(name = "a", key = "#key")
		open suspend fun value(key: String, lease: Lease? = null): String {
			yield()
			leases.add(lease)
			return "done"
		}

		@ExclusiveRequest(name = "a", key = "#key")
		open suspend fun failing(key: String): String {
			throw IllegalArgumentException(key)
		}

		@ExclusiveRequest(name = "a", key = "#key")
		open suspend fun flow(key: String): Flow<String> = flow {
			for (value in listOf("one", "two")) {
				releasedBefore.add(released())
				emit(value)
			}
		}

	}

}
