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
 * The calls that blocked a thread that must not be: an event loop, one of Reactor's, or
 * one of the engine's. To see them BlockHound changes the JDK's own classes, so it is for
 * a {@link TestJvm}, started with {@link #OPTIONS}.
 */
public final class BlockingCalls {

	/** What a JVM needs for this. */
	public static final List<String> OPTIONS = List.of("-XX:+AllowRedefinitionToAddDeleteMethods",
			"-XX:+EnableDynamicAgentLoading");

	private final Set<String> seen = ConcurrentHashMap.newKeySet();

	private BlockingCalls() {
	}

	/**
	 * Watches this JVM from now on, for good. To be called before the threads to watch
	 * are started: one that is inside a method of the JDK by then goes on in the old
	 * version of it, where nothing is allowed.
	 */
	public static BlockingCalls watch() {
		BlockingCalls calls = new BlockingCalls();
		BlockHound.install((builder) -> builder
			.nonBlockingThreadPredicate((nonBlocking) -> nonBlocking.or(BlockingCalls::isOfEngine))
			// Has nothing to do.
			.allowBlockingCallsInside(ThreadPoolExecutor.class.getName(), "getTask")
			// Waits until another thread is through with a few instructions, as at a
			// synchronized block, which is not seen.
			.allowBlockingCallsInside(ReentrantLock.class.getName(), "lock")
			// Reads from /dev/urandom, which never waits.
			.allowBlockingCallsInside(SecureRandom.class.getName(), "nextBytes")
			.blockingMethodCallback(calls::add));
		return calls;
	}

	/** Forgets what has been seen so far. */
	public void forget() {
		this.seen.clear();
	}

	/** Prints what has been seen, a line for each that begins with "blocked". */
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
