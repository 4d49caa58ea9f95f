package io.github.lockstarter.sample.demo;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * The same requests, fired at once at two handlers: one without a lock and one with it,
 * or two with their locks in different stores.
 *
 * @param started the time of its start
 * @param slow whether the work runs in slow motion
 * @param instances the instances that run; the requests are sent to them in turn, unless
 * one is killed
 * @param left the side that is worse off
 * @param right the side that is better off
 * @param kill the kill of an instance, if this run has one
 * @param sent completes when the last request was sent and the kill, if any, has its
 * outcome
 */
record Run(Instant started, boolean slow, List<Instance> instances, Lane left, Lane right, @Nullable Kill kill,
		CompletableFuture<Void> sent) {

	/** Identifies the run. */
	public String id() {
		return this.right.userName();
	}

	List<Lane> lanes() {
		return List.of(this.left, this.right);
	}

	/**
	 * Returns a future that completes when all requests sent so far have their responses.
	 */
	CompletableFuture<Void> responded() {
		return CompletableFuture.allOf(lanes().stream()
			.flatMap((lane) -> lane.requests().stream())
			.map(SentRequest::future)
			.toArray(CompletableFuture<?>[]::new));
	}

	boolean isOver() {
		return this.sent.isDone() && responded().isDone();
	}

	/** Returns whether an instance has been killed in this run. */
	boolean hasKilled() {
		return this.kill != null && this.kill.outcome() != null && !this.kill.hasFailed();
	}

	boolean isKilled(Instance instance) {
		return this.kill != null && this.kill.instance().equals(instance) && !this.kill.hasFailed();
	}

	/** Returns the letter by which the page names an instance. */
	String letter(String instanceName) {
		return letter(this.instances.stream().map(Instance::name).toList().indexOf(instanceName));
	}

	static String letter(int position) {
		return String.valueOf((char) ('A' + position));
	}

	/** Returns instances by their letters. */
	static Map<String, Instance> byLetter(List<Instance> instances) {
		Map<String, Instance> byLetter = new LinkedHashMap<>();
		instances.forEach((instance) -> byLetter.put(letter(byLetter.size()), instance));
		return byLetter;
	}

}
