package io.github.lockstarter.autoconfigure

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger

/**
 * Suspends work by key, until a test resumes it, lets it fail, or cancels it.
 */
class Gates {

	private val gates = ConcurrentHashMap<String, Gate>()

	operator fun get(key: String): Gate = gates.computeIfAbsent(key) { Gate() }

	suspend fun pass(key: String) = get(key).pass()

	class Gate {

		private val end = CompletableDeferred<Unit>()

		private val arrived = AtomicInteger()

		private val cancelled = AtomicInteger()

		/** The number of calls that reached the gate so far. */
		val arrivals get() = arrived.get()

		/** The number of calls that were cancelled at the gate. */
		val cancellations get() = cancelled.get()

		fun open() {
			end.complete(Unit)
		}

		fun fail(failure: Exception) {
			end.completeExceptionally(failure)
		}

		fun cancel() {
			end.cancel()
		}

		suspend fun pass() {
			arrived.incrementAndGet()
			try {
				end.await()
			} catch (ex: CancellationException) {
				cancelled.incrementAndGet()
				throw ex
			}
		}

	}

}
