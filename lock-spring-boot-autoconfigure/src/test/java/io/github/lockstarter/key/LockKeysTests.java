package io.github.lockstarter.key;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.util.ClassUtils;

import io.github.lockstarter.MissingLockKeyException;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LockKeysTests {

	private static final String NO_USER = "The key of lock 'order' reads the principal, but no user is known:"
			+ " the call belongs to no request, and the SecurityContextHolder has none";

	private static final String NO_REQUEST = "The key of lock 'order' reads the HTTP request, but this call belongs to none";

	private static final String MISSING = "The key of lock 'order', or a part of it, is null, empty or blank";

	private static final Method METHOD = ClassUtils.getMethod(Orders.class, "place", String.class);

	@ParameterizedTest
	@ValueSource(strings = { "principal", "principal.name", "{principal, #id}" })
	@DisplayName("Outside of a request, a missing principal is a user that is not known")
	void noUser(String key) {
		assertMissing(key, "1", CurrentRequest.NONE, NO_USER);
		assertMissing(key, "1", CurrentRequest.none(null), NO_USER);
	}

	@ParameterizedTest
	@ValueSource(strings = { "header('X')", "path", "param('x')", "pathVariable('x')", "{principal, header('X')}" })
	@DisplayName("Outside of a request, any other missing part is one of a request, whoever calls")
	void noRequest(String key) {
		assertMissing(key, "1", CurrentRequest.NONE, NO_REQUEST);
		assertMissing(key, "1", CurrentRequest.none(() -> "taro"), NO_REQUEST);
	}

	@ParameterizedTest
	@ValueSource(strings = { "#id", "{principal, #id}" })
	@DisplayName("A missing argument is missing, inside and outside of a request")
	void noArgument(String key) {
		assertMissing(key, null, CurrentRequest.none(() -> "taro"), MISSING);
	}

	private static void assertMissing(String key, @Nullable String id, CurrentRequest request, String message) {
		LockKeys keys = LockKeys.of("order", MethodExpression.parse(key, "key", METHOD));
		LockInvocation call = new LockInvocation(METHOD, new Object[] { id }, request,
				new IdempotencyKeyHeader("order", 255));
		assertThatExceptionOfType(MissingLockKeyException.class).isThrownBy(() -> keys.find(call)).withMessage(message);
	}

	private static final class Orders {

		@SuppressWarnings("unused")
		public void place(String id) {
		}

	}

}
