package io.github.lockstarter.autoconfigure

import io.github.lockstarter.annotation.ExclusiveRequest
import io.github.lockstarter.testing.TestServer
import io.r2dbc.spi.ConnectionFactories
import io.r2dbc.spi.ConnectionFactory
import kotlinx.coroutines.delay
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.junit.jupiter.params.AfterParameterizedClassInvocation
import org.junit.jupiter.params.BeforeParameterizedClassInvocation
import org.junit.jupiter.params.Parameter
import org.junit.jupiter.params.ParameterizedClass
import org.junit.jupiter.params.provider.ValueSource
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.core.env.Environment
import org.springframework.jdbc.core.simple.JdbcClient
import org.springframework.jdbc.datasource.DriverManagerDataSource
import org.springframework.r2dbc.connection.R2dbcTransactionManager
import org.springframework.r2dbc.core.DatabaseClient
import org.springframework.r2dbc.core.awaitRowsUpdated
import org.springframework.transaction.TransactionExecution
import org.springframework.transaction.TransactionExecutionListener
import org.springframework.transaction.annotation.Transactional
import org.springframework.web.bind.annotation.PostMapping
import org.springframework.web.bind.annotation.RequestParam
import org.springframework.web.bind.annotation.RestController
import java.util.concurrent.CopyOnWriteArrayList

/**
 * Replays of suspending handlers whose transactions are on the database of the locks, in Spring MVC and in WebFlux.
 */
@ParameterizedClass
@ValueSource(strings = ["servlet", "reactive"])
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SuspendingReplaysTests {

	@Parameter
	lateinit var type: String

	private lateinit var server: TestServer

	private lateinit var jdbc: JdbcClient

	private lateinit var commits: Commits

	@BeforeParameterizedClassInvocation
	fun start() {
		val name = System.nanoTime()
		val url = "jdbc:h2:mem:$name;DB_CLOSE_DELAY=-1"
		jdbc = JdbcClient.create(DriverManagerDataSource(url))
		jdbc.sql("create table receipts (id varchar(50))").update()
		server = TestServer.start(
			arrayOf(
				TestServer.CompleteApplication::class.java,
				Database::class.java,
				Commits::class.java,
				Handlers::class.java,
			),
			"lock.store=jdbc",
			"lock.jdbc.url=$url",
			"lock.jdbc.initialize-schema=always",
			"lock.jdbc.table=suspending_locks",
			"test.reactive=r2dbc:h2:mem:///$name?options=DB_CLOSE_DELAY=-1",
			"spring.main.web-application-type=$type",
		)
		commits = server.context().getBean(Commits::class.java)
	}

	@AfterParameterizedClassInvocation
	fun stop() = server.close()

	@BeforeEach
	fun empty() {
		jdbc.sql("delete from receipts").update()
		jdbc.sql("delete from suspending_locks_results").update()
		commits.results = { results() }
		commits.atCommit.clear()
	}

	private fun results(): List<String> = jdbc.sql("select content from suspending_locks_results")
		.query { row, _ -> String(row.getBytes(1)) }
		.list()

	private fun receipts() = jdbc.sql("select count(*) from receipts").query(Int::class.javaObjectType).single()

	@Test
	@DisplayName("A result is committed with the changes, and the response is replayed")
	fun commits() {
		val first = server.post("/pay?id=a")
		assertThat(first.statusCode()).isEqualTo(200)
		assertThat(commits.atCommit).hasSize(1)
		if (type == "reactive") {
			assertThat(commits.atCommit.first()).contains(first.body())
		}
		val second = server.post("/pay?id=a")
		assertThat(second.headers().firstValue("Idempotent-Replayed")).hasValue("true")
		assertThat(second.body()).isEqualTo(first.body())
		assertThat(receipts()).isOne()
	}

	@Test
	@DisplayName("A transaction that fails stores no response, and the retry runs")
	fun fails() {
		assertThat(server.post("/pay?id=b&fail=true").statusCode()).isEqualTo(500)
		assertThat(commits.atCommit).isEmpty()
		assertThat(results()).isEmpty()
		assertThat(receipts()).isZero()
	}

	@Configuration(proxyBeanMethods = false)
	open class Database {

		@Bean
		open fun connections(environment: Environment): ConnectionFactory =
			ConnectionFactories.get(environment.getRequiredProperty("test.reactive"))

		@Bean
		open fun transactions(connections: ConnectionFactory, commits: Commits) =
			R2dbcTransactionManager(connections).apply { addListener(commits) }

		@Bean
		open fun database(connections: ConnectionFactory): DatabaseClient = DatabaseClient.create(connections)

	}

	/** The results that the database contains right after each commit. */
	class Commits : TransactionExecutionListener {

		@Volatile
		var results: () -> List<String> = { emptyList() }

		val atCommit = CopyOnWriteArrayList<String>()

		override fun afterCommit(transaction: TransactionExecution, failure: Throwable?) {
			atCommit += results()
		}

	}

	@RestController
	open class Handlers(private val database: DatabaseClient) {

		@PostMapping("/pay")
		@ExclusiveRequest(name = "pay", key = "#id", replay = "1h")
		@Transactional
		open suspend fun pay(@RequestParam id: String, @RequestParam(defaultValue = "false") fail: Boolean): Receipt {
			database.sql("insert into receipts values ('$id')").fetch().awaitRowsUpdated()
			delay(1)
			check(!fail)
			return Receipt(id, System.nanoTime())
		}

	}

	data class Receipt(val id: String, val number: Long)

}
