package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;

import io.lettuce.core.RedisBusyException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.CompleteableCommand;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

@ExtendWith(OutputCaptureExtension.class)
class ScriptCommandTests {

	private static final byte[][] TWO = { {}, {} };

	private final List<RedisCommand<byte[], byte[], ?>> sent = new ArrayList<>();

	private final List<Object> replies = new ArrayList<>();

	@Test
	@DisplayName("The server's numeric answer is passed on")
	void passesNumberOn() {
		send();
		DriverStub.answer(this.sent.get(0), 7);
		assertThat(this.replies).containsExactly(7L);
	}

	@Test
	@DisplayName("If the server lacks the script, the whole script is sent, and its answer is passed on")
	void sendsWhole() {
		send();
		DriverStub.refuse(this.sent.get(0), "NOSCRIPT No matching script.");
		assertThat(this.replies).isEmpty();
		assertThat(this.sent).extracting(RedisCommand::getType).containsExactly(CommandType.EVALSHA, CommandType.EVAL);
		assertThat(encoded(this.sent.get(0))).startsWith("*7\r\n$7\r\nEVALSHA\r\n$40\r\n" + Script.RELEASE.digest());
		assertThat(encoded(this.sent.get(1))).startsWith("*7\r\n$4\r\nEVAL\r\n").contains(Script.RELEASE.text());
		DriverStub.answer(this.sent.get(1), 7);
		assertThat(this.replies).containsExactly(7L);
	}

	@Test
	@DisplayName("If the server lacks the script again, it is not sent a third time")
	void refusedWhole() {
		send();
		DriverStub.refuse(this.sent.get(0), "NOSCRIPT No matching script.");
		DriverStub.refuse(this.sent.get(1), "NOSCRIPT No matching script.");
		assertThat(this.sent).hasSize(2);
		assertThat(this.replies).singleElement().asString().contains("NOSCRIPT");
	}

	@Test
	@DisplayName("If the driver refuses the whole script, the refusal is the answer")
	void answersForRefusedScript() {
		RedisException refusal = new RedisException("not now");
		send((command) -> {
			if (command.getType() == CommandType.EVAL) {
				throw refusal;
			}
		});
		DriverStub.refuse(this.sent.get(0), "NOSCRIPT No matching script.");
		assertThat(this.replies).containsExactly(refusal);
	}

	@Test
	@DisplayName("An Error of the driver is the answer")
	void answersForError() {
		NoClassDefFoundError error = new NoClassDefFoundError("a class that is missing");
		send((command) -> {
			throw error;
		});
		assertThat(this.replies).containsExactly(error);
	}

	@Test
	@DisplayName("A server error is passed on as the driver's exception")
	void passesErrorOn() {
		send();
		DriverStub.refuse(this.sent.get(0), "BUSY Redis is busy running a script.");
		assertThat(this.replies).singleElement().isInstanceOf(RedisBusyException.class);
	}

	@Test
	@DisplayName("A command that the driver cancels is answered")
	void cancelled() {
		send();
		this.sent.get(0).cancel();
		assertThat(this.sent.get(0).isCancelled()).isTrue();
		assertThat(this.replies).singleElement().isInstanceOf(CancellationException.class);
	}

	@Test
	@DisplayName("Only the first answer counts")
	void answersOnce() {
		send();
		RedisException late = new RedisCommandTimeoutException("late");
		assertThat(this.sent.get(0).completeExceptionally(late)).isTrue();
		assertThat(this.sent.get(0).isDone()).isTrue();
		DriverStub.answer(this.sent.get(0), 7);
		this.sent.get(0).cancel();
		assertThat(this.sent.get(0).completeExceptionally(new RedisException("again"))).isFalse();
		assertThat(this.replies).containsExactly(late);
	}

	@Test
	@DisplayName("All callbacks of the driver are called, however late they are registered")
	void callsDriverBack() {
		send();
		List<Object> called = new ArrayList<>();
		CompleteableCommand<?> command = (CompleteableCommand<?>) this.sent.get(0);
		command.onComplete((value, failure) -> called.add(value));
		command.onComplete((value, failure) -> called.add(failure == null));
		DriverStub.answer(this.sent.get(0), 7);
		command.onComplete((value) -> called.add(value));
		assertThat(called).containsExactly(7L, true, 7L);
	}

	@Test
	@DisplayName("A server error is passed to the driver's callbacks as a failure, not as a value")
	void callsDriverBackForError() {
		send();
		List<Object> called = new ArrayList<>();
		CompleteableCommand<?> command = (CompleteableCommand<?>) this.sent.get(0);
		command.onComplete((value) -> called.add("value"));
		command.onComplete((value, failure) -> called.add(failure));
		DriverStub.refuse(this.sent.get(0), "BUSY Redis is busy running a script.");
		command.onComplete((value, failure) -> called.add(failure));
		assertThat(called).hasSize(2).hasOnlyElementsOfType(RedisBusyException.class);
	}

	@Test
	@DisplayName("An exception of a reply's callback does not reach the driver, and is logged")
	void throwsNothingAtDriver(CapturedOutput output) {
		Script.RELEASE.send(DriverStub.commands(this.sent::add), TWO, TWO, (number, failure) -> {
			throw new AssertionError("for this test");
		});
		assertThatNoException().isThrownBy(() -> DriverStub.answer(this.sent.get(0), 7));
		Awaitility.await()
			.untilAsserted(
					() -> assertThat(output).contains("The processing of a reply of Redis failed", "for this test"));
	}

	private static String encoded(RedisCommand<byte[], byte[], ?> command) {
		ByteBuf buffer = Unpooled.buffer();
		command.encode(buffer);
		return buffer.toString(StandardCharsets.UTF_8);
	}

	private void send() {
		send((command) -> {
		});
	}

	private void send(Consumer<RedisCommand<byte[], byte[], ?>> driver) {
		Script.RELEASE.send(DriverStub.commands((command) -> {
			driver.accept(command);
			this.sent.add(command);
		}), TWO, TWO, (number, failure) -> this.replies.add((failure != null) ? failure : number));
	}

}
