package io.github.lockstarter.testing;

import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Sets the default timeout of Awaitility to one minute, so that a machine that pauses for
 * seconds fails no test.
 */
public class AwaitilityDefaults implements LauncherSessionListener {

	@Override
	public void launcherSessionOpened(LauncherSession session) {
		Awaitility.setDefaultTimeout(1, TimeUnit.MINUTES);
	}

}
