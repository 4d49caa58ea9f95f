package io.github.lockstarter.autoconfigure

import io.github.lockstarter.Lease
import io.github.lockstarter.annotation.ExclusiveRequest
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import org.springframework.http.HttpStatus
import org.springframework.http.MediaType
import org.springframework.http.ResponseEntity
import org.springframework.web.bind.annotation.PostMapping
import org.springframework.web.bind.annotation.RequestParam
import org.springframework.web.bind.annotation.RestController

/**
 * Handlers that suspend until their gate opens.
 */
@RestController
open class SuspendingHandlers(private val gates: Gates) {

	@PostMapping("/value")
	@ExclusiveRequest(name = "value", key = "#key")
	open suspend fun value(@RequestParam key: String): String {
		gates.pass(key)
		return key
	}

	@PostMapping("/nothing")
	@ExclusiveRequest(name = "nothing", key = "#key")
	open suspend fun nothing(@RequestParam key: String) {
		gates.pass(key)
	}

	@PostMapping("/entity")
	@ExclusiveRequest(name = "entity", key = "#key")
	open suspend fun entity(@RequestParam key: String): ResponseEntity<String> {
		gates.pass(key)
		return ResponseEntity.status(HttpStatus.CREATED).body(key)
	}

	@PostMapping("/lease")
	@ExclusiveRequest(name = "lease", key = "#key")
	open suspend fun lease(@RequestParam key: String, lease: Lease?): String {
		val before = lease?.isHeld
		gates.pass(key)
		return "held: $before, ${lease?.isHeld}"
	}

	@PostMapping("/conditional")
	@ExclusiveRequest(name = "conditional", condition = "false")
	open suspend fun conditional(@RequestParam key: String, lease: Lease?): String {
		gates.pass(key)
		return if (lease != null) "a lease" else "no lease"
	}

	@PostMapping("/flow", produces = [MediaType.TEXT_PLAIN_VALUE])
	@ExclusiveRequest(name = "flow", key = "#key")
	open fun flow(@RequestParam key: String): Flow<String> = work(key)

	@PostMapping("/suspended-flow", produces = [MediaType.TEXT_PLAIN_VALUE])
	@ExclusiveRequest(name = "suspended-flow", key = "#key")
	open suspend fun suspendedFlow(@RequestParam key: String): Flow<String> = work(key)

	private fun work(key: String) = flow {
		emit("begin, ")
		gates.pass(key)
		emit("end")
	}

}
