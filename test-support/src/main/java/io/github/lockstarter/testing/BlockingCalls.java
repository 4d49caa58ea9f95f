package io.github.lockstarter.testing;

import java.security.SecureRandom;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingMethod;

/**
 * The calls that blocked a non-blocking thread: an event loop, a Reactor thread, or an
 * engine thread. BlockHound changes classes of the JDK, so this runs in a
 * {@link TestJvm}, started with {@link #OPTIONS}.
 */
public final class BlockingCalls {

	/** The options that a JVM needs for this. */
	public static final List<String> OPTIONS = List.of("-XX:+AllowRedefinitionToAddDeleteMethods",
			"-XX:+EnableDynamicAgentLoading");

	private final Set<String> seen = ConcurrentHashMap.newKeySet();

	private BlockingCalls() {
	}

	/**
	 * Watches this process permanently. Must be called before the watched threads are
	 * started: a thread that is inside a JDK method at that time continues in the
	 * unmodified version.
	 */
	public static BlockingCalls watch() {
		BlockingCalls calls = new BlockingCalls();
		BlockHound.install((builder) -> builder
			.nonBlockingThreadPredicate((nonBlocking) -> nonBlocking.or(BlockingCalls::isOfEngine))
			// An idle thread.
			.allowBlockingCallsInside(ThreadPoolExecutor.class.getName(), "getTask")
			// For the moment in which a pool that becomes smaller interrupts idle
			// threads.
			.allowBlockingCallsInside(ThreadPoolExecutor.class.getName() + "$Worker", "lock")
			// Waits for a few instructions of another thread, like a synchronized block,
			// which is not detected either.
			.allowBlockingCallsInside(ReentrantLock.class.getName(), "lock")
			// Reads from /dev/urandom, which never waits.
			.allowBlockingCallsInside(SecureRandom.class.getName(), "nextBytes")
			.blockingMethodCallback(calls::add));
		return calls;
	}

	/** Discards the recorded calls. */
	public void forget() {
		this.seen.clear();
	}

	/** Prints the recorded calls, one line each, with the prefix "blocked". */
	public void print() {
		this.seen.forEach(System.out::println);
	}

	private void add(BlockingMethod method) {
		String stack = Stream.of(new Throwable().getStackTrace())
			.map(StackTraceElement::toString)
			.filter((frame) -> !frame.startsWith("reactor.blockhound") && !frame.contains("BlockingCalls"))
			.limit(24)
			.collect(Collectors.joining(" < "));
		this.seen.add("blocked %s by %s: %s".formatted(Thread.currentThread().getName(), method, stack));
	}

	private static boolean isOfEngine(Thread thread) {
		return thread.getName().startsWith("lock-timer-") || thread.getName().startsWith("lock-answers-");
	}

}
