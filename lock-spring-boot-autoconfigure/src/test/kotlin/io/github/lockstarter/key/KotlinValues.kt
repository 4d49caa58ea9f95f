package io.github.lockstarter.key

import org.springframework.web.multipart.MultipartFile

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

	@JvmStatic
	fun cart(owner: String, items: List<Any>): Any = Cart(owner, items)

	@JvmStatic
	fun basket(owner: String, items: List<Any>): Any = Basket(owner, items)

	@JvmStatic
	fun tags(owner: String, tags: Set<Any>): Any = Tags(owner, tags)

	@JvmStatic
	fun prices(owner: String, prices: Map<Any, Any>): Any = Prices(owner, prices)

	@JvmStatic
	fun line(owner: String, key: Any, value: Any): Any = Line(owner, java.util.Map.entry(key, value))

	@JvmStatic
	fun number(shop: String, number: String): Any = Number(shop, number)

	@JvmStatic
	fun upload(owner: String, file: MultipartFile): Any = Upload(owner, file)

	/** The lists of Kotlin that hold the elements. */
	@JvmStatic
	fun lists(elements: List<Any>): List<Any> =
		listOf(elements.toList(), buildList { addAll(elements) }, ArrayDeque(elements), Own(elements))

	sealed interface Target

	data class Data(val name: String, val id: Id?) : Target {

		val text by lazy { "$name$id" }

	}

	data class Other(val name: String, val id: Id?) : Target

	data object Everyone : Target

	object Nobody : Target

	data class Cart(val owner: String, val items: List<Any>) : List<Any> by items

	/** Equal only to itself, as the compiler does not delegate `equals`. */
	class Basket(val owner: String, val items: List<Any>) : List<Any> by items

	data class Tags(val owner: String, val tags: Set<Any>) : Set<Any> by tags

	data class Prices(val owner: String, val prices: Map<Any, Any>) : Map<Any, Any> by prices

	data class Line(val owner: String, val line: Map.Entry<Any, Any>) : Map.Entry<Any, Any> by line

	data class Number(val shop: String, val number: String) : CharSequence by number

	data class Upload(val owner: String, val file: MultipartFile) : MultipartFile by file

	class Own(private val elements: List<Any>) : AbstractList<Any>() {

		override val size = elements.size

		override fun get(index: Int) = elements[index]

	}

	@JvmInline
	value class Id(val value: Long)

	@JvmInline
	value class Hidden(private val value: Long)

	@JvmInline
	value class Wrapped(val value: Any)

}
