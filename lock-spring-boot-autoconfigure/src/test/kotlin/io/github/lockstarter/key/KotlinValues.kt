package io.github.lockstarter.key

/** Values of Kotlin, for tests in Java, which cannot create objects of a value class. */
object KotlinValues {

	@JvmStatic
	fun data(name: String, id: Long): Any = Data(name, Id(id))

	@JvmStatic
	fun other(name: String, id: Long): Any = Other(name, Id(id))

	@JvmStatic
	fun id(id: Long): Any = Id(id)

	@JvmStatic
	fun hidden(id: Long): Any = Hidden(id)

	@JvmStatic
	fun of(target: Any): Any = Wrapped(target)

	@JvmStatic
	fun everyone(): Any = Everyone

	@JvmStatic
	fun nobody(): Any = Nobody

	sealed interface Target

	data class Data(val name: String, val id: Id?) : Target {

		val text by lazy { "$name$id" }

	}

	data class Other(val name: String, val id: Id?) : Target

	data object Everyone : Target

	object Nobody : Target

	@JvmInline
	value class Id(val value: Long)

	@JvmInline
	value class Hidden(private val value: Long)

	@JvmInline
	value class Wrapped(val value: Any)

}
