package io.github.lockstarter.operation;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.OverridingClassLoader;
import org.springframework.util.ClassUtils;

import io.github.lockstarter.annotation.ExclusiveRequest;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("jdk")
@ExtendWith(OutputCaptureExtension.class)
class SelfInvocationWarningTests {

	private static final String WARNING = "on the same object: this bypasses the proxy";

	private final LockOperationSource operations = TestOperations.source();

	@Test
	@DisplayName("A self-invocation of a guarded method logs one warning with the calling and the called method")
	void warns(CapturedOutput output) {
		this.operations.of(Calling.class);
		this.operations.of(Calling.class);
		assertThat(output.toString().lines().filter((line) -> line.contains(WARNING)))
			.extracting((line) -> line.replaceAll(".*Calling\\.| on the same object.*", ""))
			.containsExactlyInAnyOrder("plainly calls handle, register", "register calls register",
					"inLambda calls register", "byReference calls register", "ofSuperclass calls inherited",
					"fromSuperclass calls register", "generic calls handle");
	}

	@Test
	@DisplayName("Calls that may go through the proxy, or that need no lock, log no warning")
	void staysSilent(CapturedOutput output) {
		assertThat(this.operations.of(NotCalling.class)).hasSize(2);
		assertThat(output).doesNotContain(WARNING);
	}

	@ParameterizedTest
	@ValueSource(ints = { 4, 40, 400, 600, 700, Integer.MAX_VALUE })
	@DisplayName("A class file that cannot be parsed is ignored")
	void garbled(int from, CapturedOutput output) throws Exception {
		byte[] file = Task.class.getResourceAsStream(ClassUtils.getClassFileName(Task.class)).readAllBytes();
		Arrays.fill(file, Math.min(from, file.length), file.length, (byte) 0xfe);
		Class<?> type = new OverridingClassLoader(getClass().getClassLoader()) {

			@Override
			protected boolean isEligibleForOverriding(String className) {
				return className.equals(Task.class.getName());
			}

			@Override
			public InputStream getResourceAsStream(String name) {
				return new ByteArrayInputStream(file);
			}

		}.loadClass(Task.class.getName());
		assertThat(this.operations.of(type)).hasSize(1);
		assertThat(output.toString().contains(WARNING)).isEqualTo(from == Integer.MAX_VALUE);
	}

	abstract static class Base<T> {

		@ExclusiveRequest
		public void inherited() {
		}

		abstract void register(String name);

		abstract void handle(T value);

		void fromSuperclass() {
			register("");
		}

		void generic(List<T> values) {
			values.forEach(this::handle);
		}

		void overridden() {
			register("");
		}

	}

	static class Calling extends Base<Integer> {

		@ExclusiveRequest(name = "first")
		public void register() {
		}

		@Override
		@ExclusiveRequest(name = "second")
		public void register(String name) {
			register();
		}

		@Override
		@ExclusiveRequest
		public void handle(Integer value) {
		}

		@Override
		void overridden() {
		}

		void plainly() {
			register("");
			this.register();
			handle(1);
		}

		Runnable inLambda(List<String> names) {
			return () -> names.forEach((name) -> register(name));
		}

		void byReference(List<String> names) {
			names.forEach(this::register);
		}

		void ofSuperclass() {
			super.inherited();
		}

	}

	static class NotCalling {

		@Autowired
		@Lazy
		private NotCalling self;

		@Autowired
		private ObjectProvider<NotCalling> provider;

		@ExclusiveRequest(name = "same", key = "#id")
		public void method(String id) {
		}

		@ExclusiveRequest(name = "same", key = "#id")
		public void underSameLock(String id, List<String> more) {
			method(id);
			more.forEach((each) -> method(each));
		}

		public void method(int overload) {
		}

		void notAnnotated() {
			method(1);
		}

		void throughField(List<String> ids) {
			this.self.method("");
			ids.forEach(this.self::method);
			ids.forEach((id) -> this.self.method(id));
		}

		void throughProvider() {
			this.provider.getObject().method("");
		}

		void throughParameter(NotCalling other, List<String> ids) {
			other.method("");
			ids.forEach((id) -> other.method(id));
		}

		void throughCast(Object other) {
			((NotCalling) other).method("");
		}

		void onOthers(Map<NotCalling, String> others) {
			others.forEach(NotCalling::method);
		}

		void onNew() {
			new NotCalling().method("");
		}

	}

	static class Task implements Runnable {

		@Override
		@ExclusiveRequest
		public void run() {
		}

		void caller() {
			run();
		}

	}

}
