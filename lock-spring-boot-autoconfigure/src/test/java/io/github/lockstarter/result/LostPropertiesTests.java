package io.github.lockstarter.result;

import java.math.BigDecimal;
import java.util.List;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonProperty.Access;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

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
		assertThatIllegalStateException().isThrownBy(() -> LostProperties.check(this.mapper, type))
			.withMessageContaining("the property 'id' of " + type.getName());
	}

	@ParameterizedTest
	@ValueSource(classes = { Plain.class, Bean.class, Calculated.class, ByCreator.class, ByFields.class, Ignored.class,
			BigDecimal.class, List.class, Kind.class })
	@DisplayName("A class whose properties are read as they are written has none, nor have calculated and ignored properties")
	void whole(Class<?> type) {
		assertThatNoException().isThrownBy(() -> LostProperties.check(this.mapper, type));
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
