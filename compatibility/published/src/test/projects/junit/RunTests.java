import java.io.PrintWriter;

import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/**
 * Runs the tests of a class, as a build would.
 */
public final class RunTests {

	private RunTests() {
	}

	public static void main(String[] args) {
		SummaryGeneratingListener listener = new SummaryGeneratingListener();
		LauncherFactory.create()
			.execute(LauncherDiscoveryRequestBuilder.request()
				.selectors(DiscoverySelectors.selectClass(args[0]))
				.build(), listener);
		listener.getSummary().printFailuresTo(new PrintWriter(System.out));
		System.out.println("succeeded: " + listener.getSummary().getTestsSucceededCount() + " of "
				+ listener.getSummary().getTestsFoundCount());
	}

}
