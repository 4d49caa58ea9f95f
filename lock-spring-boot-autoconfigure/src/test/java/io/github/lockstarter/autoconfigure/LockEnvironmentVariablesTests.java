package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.operation.LockOperation;
import io.github.lockstarter.operation.LockOperationSource;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Settings of single locks by environment variables.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockEnvironmentVariablesTests {

	private static final String METHOD = "io.github.lockstarter.autoconfigure.LockEnvironmentVariablesTests$Locks.unnamed(java.lang.String,int)";

	private final StandardEnvironment environment = new StandardEnvironment();

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			user-registration | LOCK_NAMES_USER_REGISTRATION_TTL
			user-registration | LOCK_NAMES_USERREGISTRATION_TTL
			userProfile       | LOCK_NAMES_USER_PROFILE_TTL
			userProfile       | LOCK_NAMES_USERPROFILE_TTL
			order.item[1]     | LOCK_NAMES_ORDER_ITEM_1_TTL
			plain             | LOCK_NAMES_PLAIN_TTL
			UPPER_CASE        | LOCK_NAMES_UPPER_CASE_TTL
			""")
	@DisplayName("A variable applies to the lock whose name has the same letters and digits, and only to it, without a warning")
	void applies(String lock, String variable, CapturedOutput output) {
		set(variable, "2s");
		try (ConfigurableApplicationContext context = start()) {
			LockOperationSource operations = context.getBean(LockOperationSource.class);
			assertThat(operations.operations()).hasSize(6)
				.allSatisfy((each) -> assertThat(options(each).ttl())
					.isEqualTo(Duration.ofSeconds(each.name().equals(lock) ? 2 : 10)));
		}
		assertThat(warnings(output)).isEmpty();
	}

	@Test
	@DisplayName("A variable applies to a default name, whose parameter types it includes")
	void defaultName(CapturedOutput output) {
		set("LOCK_NAMES_IO_GITHUB_LOCKSTARTER_AUTOCONFIGURE_LOCKENVIRONMENTVARIABLESTESTS_LOCKS_UNNAMED_JAVA_LANG_STRING_INT_TTL",
				"2s");
		try (ConfigurableApplicationContext context = start()) {
			assertThat(options(operation(context, METHOD)).ttl()).hasSeconds(2);
		}
		assertThat(warnings(output)).isEmpty();
	}

	@Test
	@DisplayName("All settings can be variables, also those with a dash of their own")
	void settings(CapturedOutput output) {
		set("LOCK_NAMES_USER_REGISTRATION_ENABLED", "false");
		set("LOCK_NAMES_USER_REGISTRATION_MAX_HOLD", "1m");
		set("LOCK_NAMES_USER_REGISTRATION_MAXHOLD", "1m");
		set("LOCK_NAMES_USERREGISTRATION_CONFLICT_STATUS", "422");
		try (ConfigurableApplicationContext context = start()) {
			LockOperation operation = operation(context, "user-registration");
			assertThat(operation.enabled()).isFalse();
			assertThat(options(operation).maxHold()).hasMinutes(1);
			assertThat(operation.conflictStatus().value()).isEqualTo(422);
		}
		assertThat(warnings(output)).singleElement().asString().contains("enabled is false for [user-registration]");
	}

	@Test
	@DisplayName("A variable overrides a file for the same lock, and applies to a lock that only code uses")
	void otherSources(CapturedOutput output) {
		set("LOCK_NAMES_USER_REGISTRATION_TTL", "2s");
		set("LOCK_NAMES_ONLY_IN_CODE_TTL", "3s");
		this.environment.getPropertySources()
			.addLast(new MapPropertySource("file",
					Map.of("lock.names.user-registration.ttl", "5s", "lock.names.user-registration.wait", "4s")));
		try (ConfigurableApplicationContext context = start()) {
			assertThat(options(operation(context, "user-registration")).ttl()).hasSeconds(2);
			assertThat(options(operation(context, "user-registration")).waitTime()).hasSeconds(4);
			try (Lease lease = context.getBean(LockRegistry.class).acquire("only-in-code:1")) {
				assertThat(lease.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(3));
			}
		}
		assertThat(warnings(output)).singleElement()
			.asString()
			.contains("LOCK_NAMES_ONLY_IN_CODE_…: no @ExclusiveRequest");
	}

	@Test
	@DisplayName("A variable that fits two locks applies to both, and one warning says how to set one of them")
	void severalLocks(CapturedOutput output) {
		set("LOCK_NAMES_TWO_FOLD_TTL", "2s");
		try (ConfigurableApplicationContext context = start(Clashing.class)) {
			assertThat(options(operation(context, "two-fold")).ttl()).hasSeconds(2);
			assertThat(options(operation(context, "twoFold")).ttl()).hasSeconds(2);
		}
		assertThat(warnings(output)).singleElement()
			.asString()
			.contains("LOCK_NAMES_TWO_FOLD_… applies to each of the locks [two-fold, twoFold]",
					"lock.names[two-fold].…");
	}

	@Test
	@DisplayName("A variable that fits a lock exactly applies to another lock that it fits as well, and one warning says so")
	void severalLocksOneExactly(CapturedOutput output) {
		set("LOCK_NAMES_TWO_FOLD_TTL", "2s");
		try (ConfigurableApplicationContext context = start(UpperCase.class)) {
			assertThat(options(operation(context, "two-fold")).ttl()).hasSeconds(2);
			assertThat(options(operation(context, "TWO_FOLD")).ttl()).hasSeconds(2);
		}
		assertThat(warnings(output)).singleElement()
			.asString()
			.contains("LOCK_NAMES_TWO_FOLD_… applies to each of the locks [TWO_FOLD, two-fold]");
	}

	@Test
	@DisplayName("A name in a file applies to that lock only, although it is written like a variable")
	void upperCaseInFile(CapturedOutput output) {
		try (ConfigurableApplicationContext context = start(UpperCase.class, "lock.names[TWO_FOLD].ttl=2s")) {
			assertThat(options(operation(context, "TWO_FOLD")).ttl()).hasSeconds(2);
			assertThat(options(operation(context, "two-fold")).ttl()).hasSeconds(10);
		}
		assertThat(warnings(output)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "userProfile", "[userProfile]" })
	@DisplayName("A variable has no effect on a lock that another source names exactly, unless Spring Boot matches it, and one warning says what to set")
	void namedExactly(String name, CapturedOutput output) {
		set("LOCK_NAMES_USER_PROFILE_TTL", "2s");
		try (ConfigurableApplicationContext context = start(
				"lock.names" + (name.startsWith("[") ? "" : ".") + name + ".wait=4s")) {
			assertThat(options(operation(context, "userProfile")).ttl()).hasSeconds(10);
		}
		assertThat(warnings(output)).singleElement()
			.asString()
			.contains("LOCK_NAMES_USER_PROFILE_… has no effect on the lock 'userProfile'", "lock.names[userProfile].…");
	}

	@Test
	@DisplayName("A variable without a lock is reported once, with the names that exist")
	void unknown(CapturedOutput output) {
		set("LOCK_NAMES_USER_REGISTRATOIN_TTL", "2s");
		start().close();
		assertThat(warnings(output)).singleElement()
			.asString()
			.contains("LOCK_NAMES_USER_REGISTRATOIN_…: no @ExclusiveRequest", "user-registration");
	}

	@Test
	@DisplayName("A misspelt setting of a lock is reported with the nearest one")
	void misspelt(CapturedOutput output) {
		set("LOCK_NAMES_USER_REGISTRATION_TLL", "2s");
		start().close();
		assertThat(warnings(output)).singleElement()
			.asString()
			.contains("\"LOCK_NAMES_USER_REGISTRATION_TLL\"", "the nearest is lock.names.user.registration.ttl");
	}

	@Test
	@DisplayName("Outside of variables, a name with dots needs brackets, and the warning has them")
	void brackets(CapturedOutput output) {
		start("lock.names.order.item.ttl=2s").close();
		assertThat(warnings(output)).singleElement().asString().contains("the nearest is lock.names[order.item].ttl");
	}

	@Test
	@DisplayName("An invalid value prevents startup, and the message has the name of the variable")
	void invalid() {
		set("LOCK_NAMES_USER_REGISTRATION_TTL", "0s");
		assertThatException().isThrownBy(this::start).havingRootCause().withMessageContaining("ttl");
	}

	private void set(String variable, String value) {
		String name = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
		Map<String, Object> variables = new HashMap<>();
		if (this.environment.getPropertySources().get(name) instanceof VariableSource earlier) {
			variables.putAll(earlier.getSource());
		}
		variables.put(variable, value);
		this.environment.getPropertySources().replace(name, new VariableSource(name, variables));
	}

	private ConfigurableApplicationContext start(String... properties) {
		return start(Locks.class, properties);
	}

	private ConfigurableApplicationContext start(Class<?> locks, String... properties) {
		SpringApplication application = new SpringApplication(TestServer.CompleteApplication.class, locks);
		application.setWebApplicationType(WebApplicationType.NONE);
		application.setEnvironment(this.environment);
		application.setDefaultProperties(Map.of("lock.store", "memory"));
		String[] args = new String[properties.length];
		for (int i = 0; i < args.length; i++) {
			args[i] = "--" + properties[i];
		}
		return application.run(args);
	}

	private static LockOptions options(LockOperation operation) {
		return operation.options(new LockKey(operation.name(), "1"));
	}

	private static LockOperation operation(ConfigurableApplicationContext context, String name) {
		return context.getBean(LockOperationSource.class)
			.operations()
			.filter((each) -> each.name().equals(name))
			.findFirst()
			.orElseThrow();
	}

	private static List<String> warnings(CapturedOutput output) {
		return output.getAll().lines().filter((line) -> line.contains(" WARN ")).toList();
	}

	private static final class VariableSource extends SystemEnvironmentPropertySource {

		VariableSource(String name, Map<String, Object> variables) {
			super(name, variables);
		}

	}

	static class Locks {

		@ExclusiveRequest(name = "user-registration")
		public void register() {
		}

		@ExclusiveRequest(name = "userProfile")
		public void update() {
		}

		@ExclusiveRequest(name = "order.item[1]")
		public void order() {
		}

		@ExclusiveRequest(name = "plain")
		public void plain() {
		}

		@ExclusiveRequest(name = "UPPER_CASE")
		public void upperCase() {
		}

		@ExclusiveRequest
		public void unnamed(String name, int number) {
		}

	}

	static class Clashing {

		@ExclusiveRequest(name = "two-fold")
		public void first() {
		}

		@ExclusiveRequest(name = "twoFold")
		public void second() {
		}

	}

	static class UpperCase {

		@ExclusiveRequest(name = "two-fold")
		public void dashes() {
		}

		@ExclusiveRequest(name = "TWO_FOLD")
		public void upperCase() {
		}

	}

}
