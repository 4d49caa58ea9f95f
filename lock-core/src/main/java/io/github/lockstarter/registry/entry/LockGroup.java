package io.github.lockstarter.registry.entry;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.registry.lease.Turn;
import io.github.lockstarter.registry.observe.StoreFailure;
import io.github.lockstarter.registry.request.AcquireRequest;
import io.github.lockstarter.store.AcquireAllResult;
import io.github.lockstarter.store.AcquireAllResult.AllGranted;
import io.github.lockstarter.store.AcquireAllResult.FirstHeld;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStore.Acquisition;
import io.github.lockstarter.store.StoredLock;

/**
 * Locks of one caller that are acquired with one store request. They are reserved one
 * after the other, without waiting, and never under two monitors at a time.
 * <p>
 * If one of them is held elsewhere, a caller that can wait sends another request for the
 * locks before it. In the end it holds those, or waits for the first lock. So all callers
 * wait in the order of the keys, and each request leads to a lock or to the queue of one.
 */
final class LockGroup {

	private final LockTable table;

	private final List<Question> questions = new ArrayList<>();

	private final CompletableFuture<List<AcquireRequest>> outcome = new CompletableFuture<>();

	LockGroup(LockTable table) {
		this.table = table;
	}

	/** Reserves a lock; {@code false} if it is in use. */
	boolean add(LockEntry entry, AcquireRequest request) {
		boolean reserved = entry.reserve(request);
		if (reserved) {
			this.questions.add(entry.ask(request));
		}
		return reserved;
	}

	boolean isEmpty() {
		return this.questions.isEmpty();
	}

	boolean isFull() {
		return this.questions.size() == LockStore.MAX_ACQUIRED_AT_ONCE;
	}

	/**
	 * Sends the store request.
	 * @return completes with the requests that are answered, or will be
	 */
	CompletableFuture<List<AcquireRequest>> ask() {
		AcquireRequest first = this.questions.get(0).request();
		// The caller may give up, or the registry may be closed, before the store
		// answers.
		first.whenAnswered(() -> this.outcome.complete(List.of(first)));
		if (this.table.isClosed()) {
			this.questions.forEach(Question::passOver);
			first.fail(LockTable.CLOSED, null);
		}
		else {
			ask(this.questions);
		}
		return this.outcome;
	}

	private void ask(List<Question> asked) {
		if (asked.size() == 1) {
			Question question = asked.get(0);
			question.entry().askAlone(question.request());
			this.outcome.complete(List.of(question.request()));
			return;
		}
		List<Acquisition> acquisitions = asked.stream().map(Question::acquisition).toList();
		StoreFailure.caught(() -> this.table.store().acquireAll(acquisitions))
			.whenComplete((result, failure) -> answered(asked, result, StoreFailure.cause(failure)));
	}

	private void answered(List<Question> asked, @Nullable AcquireAllResult result, @Nullable Throwable failure) {
		this.table.observer().storeAnswered(asked.get(0).request().key(), failure);
		if (result instanceof AllGranted all && all.grants().size() == asked.size()) {
			answerAll(asked);
			for (int i = 0; i < asked.size(); i++) {
				asked.get(i).answer(all.grants().get(i), null);
			}
		}
		else if (result instanceof FirstHeld first && first.index() >= 0 && first.index() < asked.size()) {
			refused(asked, first.index(), first.held());
		}
		else {
			answerAll(asked);
			asked.forEach((question) -> question.answer(null, failure));
		}
	}

	/** Each request is answered soon, so its caller can wait for the answer. */
	private void answerAll(List<Question> asked) {
		this.outcome.complete(asked.stream().map(Question::request).toList());
	}

	private void refused(List<Question> asked, int index, Held held) {
		Question refused = asked.get(index);
		List<Question> before = asked.subList(0, index);
		asked.subList(index + 1, asked.size()).forEach(Question::passOver);
		boolean goesOn = refused.request().left() > 0 && !this.outcome.isDone();
		if (goesOn && index > 0) {
			refused.entry().passOver(refused.request(), refused.turn(), held);
			ask(before.stream().map(Question::again).toList());
			return;
		}
		before.forEach(Question::passOver);
		refused.answer(held, null);
		this.outcome.complete(List.of(refused.request()));
	}

	/**
	 * The part of one lock in a store request for several.
	 *
	 * @param turn the turn to acquire
	 */
	record Question(LockEntry entry, AcquireRequest request, Turn turn, StoredLock stored) {

		Acquisition acquisition() {
			return new Acquisition(this.stored, this.turn.owner(), this.turn.ttl());
		}

		Question again() {
			return this.entry.ask(this.request);
		}

		void answer(@Nullable AcquireResult result, @Nullable Throwable failure) {
			this.entry.answered(this.turn, this.request, result, failure);
		}

		void passOver() {
			this.entry.passOver(this.request, this.turn, null);
		}

	}

}
