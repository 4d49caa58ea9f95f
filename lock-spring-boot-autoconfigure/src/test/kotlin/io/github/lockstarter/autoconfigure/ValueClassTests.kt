package io.github.lockstarter.autoconfigure

import io.github.lockstarter.LockConflictException
import io.github.lockstarter.LockKey
import io.github.lockstarter.LockOptions
import io.github.lockstarter.LockRegistry
import io.github.lockstarter.annotation.ExclusiveRequest
import io.github.lockstarter.key.KeyText
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.context.ApplicationContext
import java.time.Duration

class ValueClassTests {

	private val runner = ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration::class.java, LockAutoConfiguration::class.java))
		.withPropertyValues("lock.store=memory")

	@Test
	@DisplayName("A value class is what it wraps, whether it is boxed or not")
	fun everyForm() {
		runner.withBean(Orders::class.java).run { context ->
			val orders = context.getBean(Orders::class.java)
			val generic: Gen<OrderId> = orders
			check(context, listOf(
				{ id -> orders.pay(OrderId(id)) },
				{ id -> orders.refund(OrderId(id)) },
				{ id -> orders.ship(id) },
				{ id -> orders.hidden(Hidden(id)) },
				{ id -> generic.gen(OrderId(id)) },
				{ id -> generic.both(OrderId(id), "text") },
			))
		}
	}

	@Test
	@DisplayName("Lists of a value class have the keys of lists of what it wraps")
	fun lists() {
		runner.withBean(Orders::class.java).run { context ->
			val orders = context.getBean(Orders::class.java)
			val text = { id: Long -> KeyText.lockKey("order", listOf(id)).key() }
			held(context.getBean(LockRegistry::class.java), text(42)) {
				rejected { orders.all(listOf(OrderId(42))) }
				rejected { orders.numbers(listOf(42)) }
				orders.all(listOf(OrderId(43)))
			}
		}
	}

	@Test
	@DisplayName("A value class of a list has a key for each element")
	fun eachElement() {
		runner.withBean(Orders::class.java).run { context ->
			val orders = context.getBean(Orders::class.java)
			held(context.getBean(LockRegistry::class.java), "42") {
				rejected { orders.each(OrderIds(listOf(OrderId(41), OrderId(42)))) }
				orders.each(OrderIds(listOf(OrderId(43))))
			}
		}
	}

	@Test
	@DisplayName("A method that is called by its generic interface has its lock, also if its proxy has interfaces only")
	fun interfaceProxy() {
		runner.withPropertyValues("spring.aop.proxy-target-class=false").withBean(GenericOrders::class.java)
			.run { context ->
				@Suppress("UNCHECKED_CAST")
				val orders = context.getBean(Gen::class.java) as Gen<OrderId>
				check(context, listOf({ id -> orders.gen(OrderId(id)) }, { id -> orders.both(OrderId(id), "text") }))
			}
	}

	@Test
	@DisplayName("A key that reads a property of an object that is never boxed prevents startup")
	fun property() {
		runner.withBean(ReadsProperty::class.java).run { context ->
			assertThat(context.startupFailure).hasStackTraceContaining("reads 'value' of #p0")
		}
	}

	private fun check(context: ApplicationContext, calls: List<(Long) -> Unit>) {
		held(context.getBean(LockRegistry::class.java), "42") {
			calls.forEach { call ->
				rejected { call(42) }
				call(43)
			}
		}
		calls.forEach { it(42) }
	}

	private fun rejected(call: () -> Unit) {
		assertThatExceptionOfType(LockConflictException::class.java).isThrownBy { call() }
	}

	private fun held(locks: LockRegistry, key: String, work: () -> Unit) {
		locks.acquire(LockKey("order", key), LockOptions.of(Duration.ofMinutes(1))).use { work() }
	}

	@JvmInline
	value class OrderId(val value: Long)

	@JvmInline
	value class OrderIds(val values: List<OrderId>)

	@JvmInline
	value class Hidden(private val value: Long)

	open class ReadsProperty {

		@ExclusiveRequest(name = "order", key = "#p0.value")
		open fun pay(id: OrderId) {
		}

	}

	interface Gen<T> {

		fun gen(id: T)

		fun both(id: T, text: String)

	}

	open class GenericOrders : Gen<OrderId> {

		@ExclusiveRequest(name = "order", key = "#p0")
		override fun gen(id: OrderId) {
		}

		@ExclusiveRequest(name = "order", key = "#p0")
		override fun both(id: OrderId, text: String) {
		}

	}

	open class Orders : GenericOrders() {

		@ExclusiveRequest(name = "order", key = "#p0")
		open fun pay(id: OrderId) {
		}

		@ExclusiveRequest(name = "order", key = "#p0")
		open fun refund(id: OrderId?) {
		}

		@ExclusiveRequest(name = "order", key = "#p0")
		open fun ship(id: Long) {
		}

		@ExclusiveRequest(name = "order", key = "#p0")
		open fun hidden(id: Hidden?) {
		}

		@ExclusiveRequest(name = "order", key = "#p0")
		open fun all(ids: List<OrderId>) {
		}

		@ExclusiveRequest(name = "order", keys = "#p0")
		open fun each(ids: OrderIds?) {
		}

		@ExclusiveRequest(name = "order", key = "#p0")
		open fun numbers(ids: List<Long>) {
		}

	}

}
