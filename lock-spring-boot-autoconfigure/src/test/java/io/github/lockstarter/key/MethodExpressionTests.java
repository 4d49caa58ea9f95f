package io.github.lockstarter.key;

import java.lang.reflect.Method;
import java.security.Principal;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.util.ReflectionUtils;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class MethodExpressionTests {

	private static final Method METHOD = ReflectionUtils.findMethod(Sample.class, "register", String.class, Order.class,
			Map.class, List.class);

	private static final Object[] ARGS = { "taro", new Order("A1", new Address("Kyoto")), Map.of("id", 7),
			List.of(new Order("B", null), new Order("C", null)) };

	private static final IdempotencyKeyHeader HEADER = new IdempotencyKeyHeader("test", 255);

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			{Idempotency-Key=true} | header('Idempotency-Key')
			{A=true, b=true} | {header('A'), header('b').trim()}
			{A=false, B=false} | header('A') ?: header('B')
			{A=false, B=false} | header('A') == null ? 'none' : header('B')
			{A=true} | header('A') + (header('a') ?: '')
			{A=true} | #root.header('A')
			{} | header(#userName)
			{} | #userName
			""")
	@DisplayName("The headers that an expression reads are known, and which of them are required")
	void headers(String expected, String expression) {
		assertThat(MethodExpression.parse(expression, "key", METHOD).headers()).hasToString(expected);
	}

	@ParameterizedTest
	@CsvSource(quoteCharacter = '"', textBlock = """
			#userName, true
			#count, false
			#p1, false
			#count + 1, true
			'fixed', false
			header('A'), true
			""")
	@DisplayName("Only constants and primitive parameters can never be missing")
	void mayBeMissing(String expression, boolean expected) {
		Method method = ReflectionUtils.findMethod(Counted.class, "count", String.class, int.class);
		assertThat(MethodExpression.parse(expression, "key", method).mayBeMissing()).isEqualTo(expected);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			taro | #userName
			taro | #p0
			taro | #a0
			A1 | #p1.number()
			A1 | #order.number
			Kyoto | #order?.address?.city
			5 | #order.address.city.length()
			7 | #body['id']
			7 | #body[id]
			7 | #body.id
			taro | #root.args[0]
			taro | args[0]
			register | method.name
			[taro, A1] | {#userName, #order.number}
			{n=taro} | {n: #userName}
			[B, C] | #orders.![number]
			1 | #orders.?[number == 'C'].size()
			0 | #orders.?[number == #userName].size()
			taro:A1 | #userName + ':' + #order.number
			taro | #userName ?: 'nobody'
			taro | #userName matches '[a-z]+' ? #userName : path
			fixed | 'fixed'
			tarotaro | #userName.concat(args[0])
			""")
	@DisplayName("The documented expressions can be evaluated")
	void evaluates(String expected, String expression) {
		Object value = MethodExpression.parse(expression, "key", METHOD)
			.evaluate(new LockInvocation(METHOD, ARGS, CurrentRequest.NONE, HEADER));
		assertThat(value).asString().isEqualTo(expected);
	}

	@ParameterizedTest
	@ValueSource(strings = { "header('X-Id')", "path", "principal", "principal?.name" })
	@DisplayName("Outside a request, properties of the request are null")
	void outsideOfRequests(String expression) {
		assertThat(MethodExpression.parse(expression, "key", METHOD)
			.evaluate(new LockInvocation(METHOD, ARGS, CurrentRequest.NONE, HEADER))).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "principal.username", "principal?.username", "principal.getUsername()",
			"{#userName, principal.username}", "#root.principal.username", "{1}.![#root.principal.username]",
			"header('X-Id') ?: principal.username" })
	@DisplayName("The user name of a principal of Spring Security is an error at startup, with what to write instead")
	void userNameOfPrincipal(String expression) {
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> MethodExpression.parse(expression, "key", METHOD))
			.withMessageContainingAll(expression, "Sample.register", "the Authentication of Spring Security")
			.satisfies((ex) -> assertThat(ex.getAction()).contains("Write principal.name."));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			taro | principal.name
			taro | principal
			kyoto | principal.principal.username
			""")
	@DisplayName("What the principal has can be read, even if only its class declares it")
	void readsPrincipal(String expected, String expression) {
		Object value = MethodExpression.parse(expression, "key", METHOD).evaluate(callBy(new Login("taro")));
		assertThat(KeyText.lockKey("test", value).key()).isEqualTo(expected);
	}

	@ParameterizedTest
	@ValueSource(strings = { "principal.email", "principal.email()" })
	@DisplayName("A property that the principal of a call lacks is an error that says where it is read")
	void unreadable(String expression) {
		MethodExpression key = MethodExpression.parse(expression, "key", METHOD);
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> key.evaluate(callBy(new Login("taro"))))
			.withMessageContainingAll(expression, "Sample.register", "email", Login.class.getName(),
					"Write principal.name.");
	}

	@Test
	@DisplayName("Outside of a request, the principal is that of Spring Security")
	void principalOfThread() {
		MethodExpression key = MethodExpression.parse("principal.name", "key", METHOD);
		LockInvocation call = callBy(null);
		SecurityContextHolder.setContext(new SecurityContextImpl(new TestingAuthenticationToken("taro", "")));
		try {
			assertThat(key.evaluate(new LockInvocation(METHOD, ARGS, CurrentRequest.NONE, HEADER))).isEqualTo("taro");
			assertThat(key.evaluate(call)).isNull();
		}
		finally {
			SecurityContextHolder.clearContext();
		}
	}

	@Test
	@DisplayName("An anonymous authentication is no principal")
	void anonymous() {
		assertThat(MethodExpression.parse("principal", "key", METHOD)
			.evaluate(callBy(new AnonymousAuthenticationToken("key", "anonymousUser",
					AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS")))))
			.isNull();
	}

	private static LockInvocation callBy(@Nullable Principal principal) {
		return new LockInvocation(METHOD, ARGS, CurrentRequest.none(principal), HEADER);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			Did you mean #userName? | #usrName
			Did you mean #userName? | #order.number + #userNam
			Did you mean #userName? | #USERNAME
			The parameters are #userName, #order, #body, #orders. | #p4
			Did you mean #order? | {#userName, #ordr}
			The parameters are | #orders.![number + #x]
			Did you mean #userName? | #body[#usrName]
			Write #userName. | userName
			Did you mean #userName? | usrName
			args, method, principal, path | principle.name
			header('…') | heder('X')
			Write #order. | #userName.concat(order)
			Write #userName. | {n: userName}
			Did you mean #userName? | #root.usrName
			""")
	@DisplayName("Unknown names are errors at startup, with the nearest parameter as a suggestion")
	void unknown(String suggestion, String expression) {
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> MethodExpression.parse(expression, "key", METHOD))
			.withMessageContainingAll(expression, "Sample.register", "key")
			.satisfies((ex) -> assertThat(ex.getAction()).contains(suggestion));
	}

	@ParameterizedTest
	@ValueSource(strings = { "T(java.lang.Runtime).getRuntime()", "new java.lang.String('x')", "#userName = 'x'",
			"#order.number++", "--#p0", "@bean", "#fun(1)", "{#userName, T(Math).PI}", "#orders.?[T(Math).PI > 3]",
			"&factory" })
	@DisplayName("Types, constructors, assignments, beans and functions are errors at startup")
	void forbidden(String expression) {
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> MethodExpression.parse(expression, "condition", METHOD))
			.withMessageContainingAll(expression, "Sample.register", "condition", "not allowed");
	}

	@ParameterizedTest
	@ValueSource(strings = { "#userName.value", "#p0?.value", "#count.value", "'a' + #p1.value", "{#count.id}" })
	@DisplayName("A property that a text or a number does not have is an error at startup")
	void propertyOfScalar(String expression) {
		Method method = ReflectionUtils.findMethod(Counted.class, "count", String.class, int.class);
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> MethodExpression.parse(expression, "key", method))
			.withMessageContaining("has no such property")
			.satisfies((ex) -> assertThat(ex.getAction()).contains("value class"));
		assertThatCode(() -> MethodExpression.parse("#userName.empty + #userName.bytes", "key", method))
			.doesNotThrowAnyException();
	}

	@ParameterizedTest
	@ValueSource(strings = { "#lease", "#p1.key()", "{#id, #a1?.fencingToken}", "#lease == null" })
	@DisplayName("A Lease, which is resolved after the lock is acquired, is an error at startup")
	void lease(String expression) throws Exception {
		Method method = WithLease.class.getDeclaredMethod("register", String.class, Lease.class);
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> MethodExpression.parse(expression, "key", method))
			.withMessageContainingAll(expression, "WithLease.register", "Lease, which has no value before the lock");
		assertThat(MethodExpression.parse("#id", "key", method)).isNotNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { " ", "#userName +", "#", "'open", "#{userName}", "${x}" })
	@DisplayName("Invalid SpEL is an error at startup")
	void unparsable(String expression) {
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> MethodExpression.parse(expression, "key", METHOD))
			.withMessageContainingAll(expression, "Sample.register", "key");
	}

	@ParameterizedTest
	@ValueSource(strings = { "#body.missing", "#body['missing']", "#body?.missing", "#orders[5].number", "args[9]",
			"#orders[0].address.city", "#userName.substring(0, 1) + #big" })
	@DisplayName("Values that the request omits, or that are too large, are null")
	void absent(String expression) throws Exception {
		Method method = Big.class.getDeclaredMethod("register", String.class, Order.class, Map.class, List.class,
				String.class);
		Object[] args = { "taro", ARGS[1], ARGS[2], ARGS[3], "x".repeat(200_000) };
		assertThat(MethodExpression.parse(expression, "key", method)
			.evaluate(new LockInvocation(method, args, CurrentRequest.NONE, HEADER))).isNull();
	}

	@Test
	@DisplayName("A value that looks like an expression is not evaluated")
	void valuesAreData() {
		Object[] args = { "T(java.lang.Runtime)", null, null, null };
		assertThat(MethodExpression.parse("#userName", "key", METHOD)
			.evaluate(new LockInvocation(METHOD, args, CurrentRequest.NONE, HEADER))).isEqualTo("T(java.lang.Runtime)");
	}

	@ParameterizedTest
	@CsvSource({ "#p1, second", "#p0, first", "#root.args[0], first", "#root, not an argument" })
	@DisplayName("Parameters named p1 or root do not replace SpEL's variables of that name")
	void misleadingNames(String expression, String expected) throws Exception {
		Method method = Misleading.class.getDeclaredMethod("register", String.class, String.class, String.class);
		LockInvocation call = new LockInvocation(method, new Object[] { "first", "second", "third" },
				CurrentRequest.NONE, HEADER);
		Object value = MethodExpression.parse(expression, "key", method).evaluate(call);
		assertThat((value != call) ? value : "not an argument").isEqualTo(expected);
	}

	static class Misleading {

		void register(String p1, String other, String root) {
		}

	}

	static class Big {

		void register(String userName, Order order, Map<String, Integer> body, List<Order> orders, String big) {
		}

	}

	static class Counted {

		void count(String userName, int count) {
		}

	}

	static class WithLease {

		void register(String id, Lease lease) {
		}

	}

	record Order(String number, Address address) {
	}

	record Address(String city) {
	}

	static class Sample {

		void register(String userName, Order order, Map<String, Integer> body, List<Order> orders) {
		}

	}

	/** It has more than a name, as an authentication has. */
	record Login(String getName) implements Principal {

		public Map<String, String> getPrincipal() {
			return Map.of("username", "kyoto");
		}

	}

}
