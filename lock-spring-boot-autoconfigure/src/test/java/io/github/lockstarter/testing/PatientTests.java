package io.github.lockstarter.testing;

import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Lets every wait for a condition last up to a minute where the test names no bound, so
 * that a machine that stands still for seconds fails no test.
 */
public class PatientTests implements LauncherSessionListener {

	@Override
	public void launcherSessionOpened(LauncherSession session) {
		Awaitility.setDefaultTimeout(1, TimeUnit.MINUTES);
	}

}
