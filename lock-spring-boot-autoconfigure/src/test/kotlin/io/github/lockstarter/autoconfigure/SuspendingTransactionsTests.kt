package io.github.lockstarter.autoconfigure

import io.github.lockstarter.Lease
import io.github.lockstarter.annotation.ExclusiveRequest
import io.github.lockstarter.registry.LockInspector
import io.github.lockstarter.testing.TestServer
import io.r2dbc.spi.ConnectionFactories
import io.r2dbc.spi.ConnectionFactory
import kotlinx.coroutines.delay
import kotlinx.coroutines.future.await
import kotlinx.coroutines.reactor.awaitSingle
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.TestInstance
import org.junit.jupiter.params.AfterParameterizedClassInvocation
import org.junit.jupiter.params.BeforeParameterizedClassInvocation
import org.junit.jupiter.params.Parameter
import org.junit.jupiter.params.ParameterizedClass
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.r2dbc.connection.R2dbcTransactionManager
import org.springframework.r2dbc.core.DatabaseClient
import org.springframework.transaction.annotation.Transactional
import org.springframework.transaction.reactive.TransactionalOperator
import org.springframework.transaction.reactive.executeAndAwait
import org.springframework.web.bind.annotation.PostMapping
import org.springframework.web.bind.annotation.RestController

/**
 * Reactive transactions of suspending handlers, in Spring MVC and in WebFlux.
 */
@ParameterizedClass
@ValueSource(strings = ["servlet", "reactive"])
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SuspendingTransactionsTests {

	@Parameter
	lateinit var type: String

	private lateinit var server: TestServer

	private lateinit var orders: Orders

	@BeforeParameterizedClassInvocation
	fun start() {
		server = TestServer.start(
			arrayOf(
				TestServer.CompleteApplication::class.java,
				Database::class.java,
				Orders::class.java,
				Service::class.java,
				Handlers::class.java,
			),
			"lock.store=memory",
			"spring.main.web-application-type=$type",
		)
		orders = server.context().getBean(Orders::class.java)
	}

	@AfterParameterizedClassInvocation
	fun stop() = server.close()

	@BeforeEach
	fun empty() = orders.clear()

	@ParameterizedTest
	@ValueSource(strings = ["annotated", "service", "operator"])
	@DisplayName("A transaction whose lease was lost before the commit is rolled back, and the caller gets the loss")
	fun rollsBack(handler: String) {
		orders.lose = true
		val response = server.post("/$handler")
		assertThat(orders.count()).isZero()
		assertThat(response.statusCode()).isEqualTo(409)
		assertThat(response.body()).contains("/lease-lost")
	}

	@ParameterizedTest
	@ValueSource(strings = ["annotated", "service", "operator"])
	@DisplayName("A transaction whose lease is held commits")
	fun commits(handler: String) {
		orders.lose = false
		assertThat(server.post("/$handler").statusCode()).isEqualTo(200)
		assertThat(orders.count()).isOne()
	}

	@Configuration(proxyBeanMethods = false)
	open class Database {

		@Bean
		open fun connections(): ConnectionFactory =
			ConnectionFactories.get("r2dbc:h2:mem:///${System.nanoTime()}?options=DB_CLOSE_DELAY=-1")

		@Bean
		open fun transactions(connections: ConnectionFactory) = R2dbcTransactionManager(connections)

		@Bean
		open fun database(connections: ConnectionFactory): DatabaseClient = DatabaseClient.create(connections)

	}

	open class Orders(private val database: DatabaseClient, private val locks: LockInspector) {

		@Volatile
		open var lose = false

		init {
			database.sql("create table orders (id int)").then().block()
		}

		/** Inserts a row, and loses the lease if the test requests it. */
		open suspend fun insert(lease: Lease): Long {
			val rows = database.sql("insert into orders values (1)").fetch().rowsUpdated().awaitSingle()
			delay(1)
			if (lose) {
				locks.forceRelease(lease.key(), lease.fencingToken()).await()
			}
			return rows
		}

		open fun clear() {
			database.sql("delete from orders").then().block()
		}

		open fun count(): Long = database.sql("select count(*) from orders").mapValue(Long::class.javaObjectType).one().block()!!

	}

	open class Service(private val orders: Orders) {

		@Transactional
		open suspend fun insert(lease: Lease) = orders.insert(lease)

	}

	@RestController
	open class Handlers(
		private val orders: Orders,
		private val service: Service,
		private val operator: TransactionalOperator,
	) {

		@PostMapping("/annotated")
		@ExclusiveRequest(name = "order")
		@Transactional
		open suspend fun annotated(lease: Lease?): String = orders.insert(lease!!).toString()

		@PostMapping("/service")
		@ExclusiveRequest(name = "order")
		open suspend fun service(lease: Lease?): String {
			delay(1)
			return service.insert(lease!!).toString()
		}

		@PostMapping("/operator")
		@ExclusiveRequest(name = "order")
		open suspend fun operator(lease: Lease?): String {
			delay(1)
			return operator.executeAndAwait { orders.insert(lease!!).toString() }
		}

	}

}
