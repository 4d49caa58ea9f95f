package io.github.lockstarter.result;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonBackReference;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIdentityInfo;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonManagedReference;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonProperty.Access;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.annotation.ObjectIdGenerators;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonNaming;
import tools.jackson.databind.annotation.JsonPOJOBuilder;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.ser.std.ToStringSerializer;
import tools.jackson.databind.util.StdConverter;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Classes whose values lose a property when they are written and read.
 */
class LostPropertiesTests {

	private final JsonMapper mapper = JsonMapper.builder().build();

	@ParameterizedTest
	@ValueSource(classes = { ReadOnly.class, ReadOnlyComponent.class, WriteOnly.class, WithoutSetter.class,
			Inherited.class, Renamed.class })
	@DisplayName("A property that is only written, or only read, is named")
	void lost(Class<?> type) {
		assertThatIllegalStateException().isThrownBy(() -> check(type))
			.withMessageContaining("the property 'id' of " + type.getName());
	}

	@ParameterizedTest
	@ValueSource(classes = { InField.class, InList.class, InMap.class, InOptional.class, InGenerics.class,
			InSubtype.class, InUnwrapped.class, InCycle.class, InBuilt.class, InArray.class, InSuperclass.class })
	@DisplayName("A lost property is named with its class at any depth")
	void nested(Class<?> type) {
		assertThatIllegalStateException().isThrownBy(() -> check(type))
			.withMessageContaining("the property 'id' of " + ReadOnly.class.getName());
	}

	@ParameterizedTest
	@ValueSource(classes = { Plain.class, Bean.class, Calculated.class, ByCreator.class, ByFields.class, Ignored.class,
			BigDecimal.class, List.class, Kind.class, Built.class, Entity.class, Parsed.class, Unwrapped.class,
			Drawing.class, Optionals.class, Parent.class, Generic.class, OwnFormat.class, OfProperty.class, Node.class,
			Undeclared.class, IgnoredInside.class, Identified.class, Delegating.class, Named.class, Lazy.class,
			Converted.class, ReadByItsOwn.class, Created.class })
	@DisplayName("A class whose properties are read as they are written has none, nor have calculated and ignored properties")
	void whole(Class<?> type) {
		assertThatNoException().isThrownBy(() -> check(type));
	}

	private void check(Class<?> type) {
		LostProperties.check(this.mapper, this.mapper.constructType(type));
	}

	record InField(Plain plain, InnerField inner) {
	}

	record InnerField(ReadOnly lost) {
	}

	record InList(List<List<ReadOnly>> lists) {
	}

	record InMap(Map<String, ReadOnly> map) {
	}

	record InOptional(Optional<ReadOnly> optional) {
	}

	record InGenerics(Page<ReadOnly> page) {
	}

	record Page<T>(List<T> content) {
	}

	record InSubtype(Lossy lossy) {
	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
	@JsonSubTypes(@JsonSubTypes.Type(LossySubtype.class))
	interface Lossy {

	}

	record LossySubtype(ReadOnly lost) implements Lossy {
	}

	record InUnwrapped(@JsonUnwrapped ReadOnly lost) {
	}

	record InArray(ReadOnly[] array) {
	}

	static class InSuperclass extends Superclass {

	}

	static class Superclass {

		public ReadOnly lost;

	}

	static class InCycle {

		public InCycle next;

		public ReadOnly lost;

	}

	@JsonDeserialize(builder = InBuilt.Builder.class)
	static final class InBuilt {

		private final ReadOnly lost;

		private InBuilt(ReadOnly lost) {
			this.lost = lost;
		}

		public ReadOnly getLost() {
			return this.lost;
		}

		@JsonPOJOBuilder(withPrefix = "")
		static class Builder {

			private ReadOnly lost;

			public Builder lost(ReadOnly lost) {
				this.lost = lost;
				return this;
			}

			public InBuilt build() {
				return new InBuilt(this.lost);
			}

		}

	}

	/** As Lombok writes it. */
	@JsonDeserialize(builder = Built.Builder.class)
	static final class Built {

		private final long id;

		private final List<String> texts;

		private Built(long id, List<String> texts) {
			this.id = id;
			this.texts = texts;
		}

		public long getId() {
			return this.id;
		}

		public List<String> getTexts() {
			return this.texts;
		}

		@JsonPOJOBuilder(withPrefix = "")
		static class Builder {

			private long id;

			private List<String> texts;

			public Builder id(long id) {
				this.id = id;
				return this;
			}

			public Builder texts(List<String> texts) {
				this.texts = texts;
				return this;
			}

			public Built build() {
				return new Built(this.id, this.texts);
			}

		}

	}

	/** As an entity is written. */
	static class Entity {

		private Long id;

		private Set<Plain> lines = new LinkedHashSet<>();

		protected Entity() {
		}

		public Long getId() {
			return this.id;
		}

		public Set<Plain> getLines() {
			return this.lines;
		}

		public Entity addLine(Plain line) {
			this.lines.add(line);
			return this;
		}

	}

	static final class Parsed {

		private final BigDecimal amount;

		private final String currency;

		private Parsed(BigDecimal amount, String currency) {
			this.amount = amount;
			this.currency = currency;
		}

		@JsonCreator
		static Parsed parse(String text) {
			String[] parts = text.split(" ");
			return new Parsed(new BigDecimal(parts[0]), parts[1]);
		}

		public BigDecimal getAmount() {
			return this.amount;
		}

		public String getCurrency() {
			return this.currency;
		}

		@JsonValue
		@Override
		public String toString() {
			return this.amount + " " + this.currency;
		}

	}

	record Unwrapped(@JsonUnwrapped(prefix = "plain_") Plain plain, @JsonUnwrapped Bean bean) {
	}

	record Drawing(List<Shape> shapes) {
	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, include = JsonTypeInfo.As.EXISTING_PROPERTY, property = "kind")
	@JsonSubTypes({ @JsonSubTypes.Type(value = Circle.class, name = "circle"),
			@JsonSubTypes.Type(value = Square.class, name = "square") })
	abstract static class Shape {

		private final String kind;

		Shape(String kind) {
			this.kind = kind;
		}

		public String getKind() {
			return this.kind;
		}

	}

	static class Circle extends Shape {

		public long radius;

		Circle() {
			super("circle");
		}

	}

	static class Square extends Shape {

		public long side;

		Square() {
			super("square");
		}

	}

	record Optionals(Optional<Plain> plain, OptionalInt number, Optional<List<Bean>> beans) {
	}

	static class Parent {

		@JsonManagedReference
		public List<Child> children;

	}

	static class Child {

		public String name;

		@JsonBackReference
		public Parent parent;

		@JsonIgnore
		public WriteOnly ignored;

	}

	record Generic<T extends Comparable<T>>(T value, Page<? extends T> page, Map<T, List<T>> map) {
	}

	@JsonSerialize(using = ToStringSerializer.class)
	static final class OwnFormat {

		private final long id = 1;

		public long getId() {
			return this.id;
		}

	}

	record OfProperty(@JsonSerialize(using = ToStringSerializer.class) ReadOnly lost) {
	}

	record Node(JsonNode json, Object any, ObjectNode object, Class<?> type, Locale locale, UUID uuid, Instant at,
			byte[] bytes, int[] numbers) {
	}

	record Undeclared(Map<String, Object> map, List<?> list, Comparable<?> comparable) {
	}

	record IgnoredInside(@JsonIgnoreProperties("id") ReadOnly lost) {
	}

	@JsonIdentityInfo(generator = ObjectIdGenerators.PropertyGenerator.class, property = "id")
	static class Identified {

		public long id;

		public Identified other;

	}

	/** A property whose converters write and read it. */
	record Converted(
			@JsonSerialize(converter = ToCents.class) @JsonDeserialize(converter = FromCents.class) Money money) {
	}

	/** A property with a deserializer of its own. */
	record ReadByItsOwn(@JsonDeserialize(using = MoneyDeserializer.class) Money money) {
	}

	static final class Money {

		private final long cents;

		private Money(long cents) {
			this.cents = cents;
		}

		public long getCents() {
			return this.cents;
		}

	}

	static final class ToCents extends StdConverter<Money, Long> {

		@Override
		public Long convert(Money money) {
			return money.cents;
		}

	}

	static final class FromCents extends StdConverter<Long, Money> {

		@Override
		public Money convert(Long cents) {
			return new Money(cents);
		}

	}

	static final class MoneyDeserializer extends ValueDeserializer<Money> {

		@Override
		public Money deserialize(JsonParser parser, DeserializationContext context) {
			return new Money(context.readTree(parser).get("cents").asLong());
		}

	}

	/** Is written as its properties are, and created from all of them at once. */
	static final class Created {

		private final long id;

		private Created(long id) {
			this.id = id;
		}

		@JsonCreator(mode = JsonCreator.Mode.DELEGATING)
		static Created of(Map<String, Long> properties) {
			return new Created(properties.get("id"));
		}

		public long getId() {
			return this.id;
		}

	}

	static final class Delegating {

		private final long id;

		@JsonCreator(mode = JsonCreator.Mode.DELEGATING)
		Delegating(long id) {
			this.id = id;
		}

		@JsonValue
		long id() {
			return this.id;
		}

	}

	@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
	record Named(String firstName, @JsonProperty("last") String lastName, @JsonAlias("mail") String email) {
	}

	/** Only its getter fills the field. */
	static class Lazy {

		public String text;

		private transient Integer length;

		public Integer getLength() {
			if (this.length == null) {
				this.length = this.text.length();
			}
			return this.length;
		}

	}

	static class ReadOnly {

		@JsonProperty(access = Access.READ_ONLY)
		public Long id;

		public BigDecimal amount;

	}

	record ReadOnlyComponent(@JsonProperty(access = Access.READ_ONLY) Long id, BigDecimal amount) {
	}

	static class WriteOnly {

		@JsonProperty(access = Access.WRITE_ONLY)
		public Long id;

	}

	static class WithoutSetter {

		private final Long id = 1L;

		public Long getId() {
			return this.id;
		}

	}

	static class Inherited extends WithoutSetter {

		public String text;

	}

	static class Renamed {

		@JsonProperty(value = "id", access = Access.READ_ONLY)
		public Long number;

	}

	record Plain(long id, List<String> texts) {
	}

	static class Bean {

		private long id;

		public long getId() {
			return this.id;
		}

		public void setId(long id) {
			this.id = id;
		}

	}

	record Calculated(long id) {

		@JsonProperty
		boolean isEven() {
			return this.id % 2 == 0;
		}

		public String getText() {
			return "number " + this.id;
		}

	}

	static class ByCreator {

		private final long id;

		@JsonCreator
		ByCreator(@JsonProperty("id") long id) {
			this.id = id;
		}

		public long getId() {
			return this.id;
		}

	}

	@JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.ANY)
	static class ByFields {

		private long id;

	}

	static class Ignored {

		@JsonIgnore
		public long id;

		public String text;

	}

	enum Kind {

		ONE

	}

}
