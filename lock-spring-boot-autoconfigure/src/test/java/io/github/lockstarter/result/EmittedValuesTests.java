package io.github.lockstarter.result;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.unit.DataSize;

import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.count.LockEventCounter;

import static org.assertj.core.api.Assertions.assertThat;

class EmittedValuesTests {

	private static final int MAX_SIZE = 200;

	private static final String HALF = "x".repeat(MAX_SIZE / 2);

	private final LockEventCounter counts = new LockEventCounter();

	private final SharingSettings settings = new SharingSettings(Duration.ofSeconds(5), DataSize.ofBytes(MAX_SIZE),
			new TestSharingContext(this.counts));

	private final ResultSharing sharing = sharing(null);

	private final ResultSharing replay = sharing(new ReplayRetention(Duration.ofHours(1), KeptResponses.VALUES));

	@Test
	@DisplayName("All emitted values are written together, in their order")
	void together() {
		EmittedValues values = this.sharing.values(true);
		values.add("one");
		values.add("two");
		assertThat(values.write(Caller.ANY)).isNotNull()
			.isEqualTo(this.sharing.writeValue(Caller.ANY, List.of("one", "two"), null))
			.endsWith("\n[\"one\",\"two\"]\n");
	}

	@Test
	@DisplayName("Work that has emitted nothing has an empty list of values")
	void none() {
		assertThat(this.sharing.values(true).write(Caller.ANY)).endsWith("\n[]\n");
	}

	@Test
	@DisplayName("Values that are too large together are not shared, are reported once, and no later value is looked at")
	void tooLarge() {
		EmittedValues values = this.sharing.values(true);
		values.add(HALF);
		values.add(HALF);
		values.add(new Unwritable());
		values.add("small");
		assertThat(values.write(Caller.ANY)).isNull();
		assertThat(this.counts.get("lock", Event.TOO_LARGE)).isEqualTo(1);
		assertThat(this.counts.get("lock", Event.NOT_WRITABLE)).isZero();
	}

	@Test
	@DisplayName("A value that cannot be written makes the others unshared, and is reported once")
	void notWritable() {
		EmittedValues values = this.sharing.values(true);
		values.add("one");
		values.add(new Unwritable());
		values.add(new Unwritable());
		assertThat(values.write(Caller.ANY)).isNull();
		assertThat(this.counts.get("lock", Event.NOT_WRITABLE)).isEqualTo(1);
	}

	@Test
	@DisplayName("Values that are to be replayed, and are too large, leave a text that says so")
	void replayed() {
		EmittedValues values = this.replay.values(true);
		values.add(HALF);
		values.add(HALF);
		assertThat(values.write(new Caller("", "print"))).isEqualTo(ResultText.unavailable("print"));
	}

	@Test
	@DisplayName("A collector that collects nothing writes no values, and that they are not kept if they are to be replayed")
	void collectsNothing() {
		EmittedValues shared = this.sharing.values(false);
		shared.add("one");
		assertThat(shared.write(Caller.ANY)).isNull();
		EmittedValues replayed = this.replay.values(false);
		replayed.add("one");
		assertThat(replayed.write(new Caller("", "print"))).isEqualTo(ResultText.unavailable("print"));
		assertThat(this.counts.lockNames()).isEmpty();
	}

	private ResultSharing sharing(ReplayRetention replay) {
		return this.settings.of("lock", ReflectionUtils.findMethod(getClass(), "together"),
				new ResultType(getClass(), ResolvableType.forClass(String.class), true), replay);
	}

	static class Unwritable {

		public String getText() {
			throw new IllegalArgumentException("as asked");
		}

	}

}
