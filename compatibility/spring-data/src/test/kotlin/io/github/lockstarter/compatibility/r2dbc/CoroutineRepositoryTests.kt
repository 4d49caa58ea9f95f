package io.github.lockstarter.compatibility.r2dbc

import io.github.lockstarter.annotation.ExclusiveRequest
import io.github.lockstarter.compatibility.Locks
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.boot.test.context.SpringBootTest
import org.springframework.context.ApplicationContext
import org.springframework.data.annotation.Id
import org.springframework.data.relational.core.mapping.Table
import org.springframework.data.repository.kotlin.CoroutineCrudRepository

@SpringBootTest(
	classes = [R2dbcRepositoryTests.Application::class],
	properties = ["lock.store=memory", "spring.r2dbc.generate-unique-name=true"],
	webEnvironment = SpringBootTest.WebEnvironment.NONE,
)
internal class CoroutineRepositoryTests {

	@Autowired
	private lateinit var context: ApplicationContext

	@Autowired
	private lateinit var seats: SeatRepository

	@Test
	@DisplayName("A suspending function of a repository has its lock, and so has one that returns a Flow")
	fun locked() {
		val locks = Locks(context)
		locks.assertLocked("seat") { runBlocking { seats.findById(it) } }
		locks.assertLocked("seats") { runBlocking { seats.findByHolder(it).toList() } }
		locks.assertLocked("free-seat") { runBlocking { seats.deleteByHolder(it) } }
	}

}

@Table("TICKET")
internal data class Seat(@Id val id: String, val holder: String)

internal interface SeatRepository : CoroutineCrudRepository<Seat, String> {

	@ExclusiveRequest(name = "seat", key = "#id")
	override suspend fun findById(id: String): Seat?

	@ExclusiveRequest(name = "seats", key = "#holder")
	fun findByHolder(holder: String): Flow<Seat>

	@ExclusiveRequest(name = "free-seat", key = "#holder")
	suspend fun deleteByHolder(holder: String): Int

}
