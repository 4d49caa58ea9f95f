package io.github.lockstarter.test;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockRegistry;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;

/**
 * A test with both {@code @AutoConfigureLocks}, for example inherited, and a mock of the
 * registry.
 */
@SpringJUnitConfig(AutoConfigureLocksTests.Application.class)
class ReplacedRegistryTests {

	@MockitoBean
	private LockRegistry locks;

	@Autowired
	private AutoConfigureLocksTests.Job job;

	@RepeatedTest(2)
	@DisplayName("A mock replaces the registry, and nothing is reset")
	void mocked() {
		given(this.locks.acquire(any(LockKey.class), any())).willThrow(new IllegalStateException("mocked"));
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(this.job::run).withMessage("mocked");
	}

}
