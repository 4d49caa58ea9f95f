package io.github.lockstarter.test;

import org.springframework.context.ApplicationContext;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.support.AbstractTestExecutionListener;

import io.github.lockstarter.registry.DefaultLockRegistry;

/**
 * Resets the locks of an application context after each test method, because the context
 * may be cached for the next test.
 */
final class ResetLocksTestExecutionListener extends AbstractTestExecutionListener {

	/**
	 * Listeners are called in reverse order after a test. So this listener is called
	 * after the end of the test's transaction (4000), and before its context is closed
	 * (3000).
	 */
	private static final int ORDER = 3500;

	@Override
	public int getOrder() {
		return ORDER;
	}

	@Override
	public void afterTestMethod(TestContext test) {
		if (test.hasApplicationContext() && isControlled(test.getApplicationContext())) {
			test.getApplicationContext().getBean(TestLockRegistry.class).reset();
		}
	}

	/**
	 * Returns whether the locks can be controlled: not if the registry has been replaced,
	 * for example by a mock.
	 */
	private static boolean isControlled(ApplicationContext context) {
		return context.getBeanNamesForType(TestLockRegistry.class, false, false).length > 0
				&& context.getBeanProvider(DefaultLockRegistry.class).getIfAvailable() != null;
	}

}
