package io.github.lockstarter.autoconfigure

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger

/**
 * Holds work up, by key, until a test lets it go on, fail, or be cancelled.
 */
class Gates {

	private val gates = ConcurrentHashMap<String, Gate>()

	operator fun get(key: String): Gate = gates.computeIfAbsent(key) { Gate() }

	suspend fun pass(key: String) = get(key).pass()

	class Gate {

		private val end = CompletableDeferred<Unit>()

		private val arrived = AtomicInteger()

		private val cancelled = AtomicInteger()

		/** How much work has come here so far. */
		val arrivals get() = arrived.get()

		/** How much of it was cancelled here. */
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
