package io.github.lockstarter.registry.entry;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.registry.lease.Turn;
import io.github.lockstarter.registry.observe.StoreFailure;
import io.github.lockstarter.registry.acquisition.Acquisition;
import io.github.lockstarter.store.AcquireAllResult;
import io.github.lockstarter.store.AcquireAllResult.AllGranted;
import io.github.lockstarter.store.AcquireAllResult.FirstHeld;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.GroupLockStore;
import io.github.lockstarter.store.GroupLockStore.Claim;
import io.github.lockstarter.store.StoredLock;

/**
 * Locks of one caller that are acquired with one command to the store. They are reserved
 * one after the other, without waiting, and never under two monitors at a time.
 * <p>
 * If one of them is held elsewhere, a caller that can wait sends another command for the
 * locks before it. In the end it holds those, or waits for the first lock. So all callers
 * wait in the order of the keys, and each command leads to a lock or to the queue of one.
 */
final class LockGroup {

	private final LockEntries entries;

	private final GroupLockStore store;

	private final List<Member> members = new ArrayList<>();

	private final CompletableFuture<List<Acquisition>> outcome = new CompletableFuture<>();

	LockGroup(LockEntries entries, GroupLockStore store) {
		this.entries = entries;
		this.store = store;
	}

	/** Reserves a lock; {@code false} if it is in use. */
	boolean add(LockEntry entry, Acquisition acquisition) {
		Member reserved = entry.reserve(acquisition);
		return reserved != null && this.members.add(reserved);
	}

	boolean isEmpty() {
		return this.members.isEmpty();
	}

	boolean isFull() {
		return this.members.size() == GroupLockStore.MAX_ACQUIRED_AT_ONCE;
	}

	/**
	 * Sends the command to the store.
	 * @return completes with the acquisitions that are answered, or will be
	 */
	CompletableFuture<List<Acquisition>> ask() {
		Acquisition first = this.members.get(0).acquisition();
		// The caller may give up, or the registry may be closed, before the store
		// answers.
		first.whenAnswered(() -> this.outcome.complete(List.of(first)));
		if (this.entries.isClosed()) {
			this.members.forEach(Member::passOver);
			first.fail(LockEntries.CLOSED, null);
		}
		else {
			ask(this.members);
		}
		return this.outcome;
	}

	private void ask(List<Member> asked) {
		if (asked.size() == 1) {
			Member member = asked.get(0);
			member.entry().askAlone(member.acquisition());
			this.outcome.complete(List.of(member.acquisition()));
			return;
		}
		List<Claim> claims = asked.stream().map(Member::claim).toList();
		StoreFailure.caught(() -> this.store.acquireAll(claims))
			.whenComplete((result, failure) -> answered(asked, result, StoreFailure.cause(failure)));
	}

	private void answered(List<Member> asked, @Nullable AcquireAllResult result, @Nullable Throwable failure) {
		this.entries.observer().storeAnswered(asked.get(0).acquisition().key(), failure);
		if (result instanceof AllGranted all && all.grants().size() == asked.size()) {
			answerAll(asked);
			for (int i = 0; i < asked.size(); i++) {
				asked.get(i).answer(all.grants().get(i), null);
			}
		}
		else if (result instanceof FirstHeld first && first.index() >= 0 && first.index() < asked.size()) {
			rejected(asked, first.index(), first.held());
		}
		else {
			answerAll(asked);
			asked.forEach((member) -> member.answer(null, failure));
		}
	}

	/** Each acquisition is answered soon, so its caller can wait for the answer. */
	private void answerAll(List<Member> asked) {
		this.outcome.complete(asked.stream().map(Member::acquisition).toList());
	}

	private void rejected(List<Member> asked, int index, Held held) {
		Member rejected = asked.get(index);
		List<Member> before = asked.subList(0, index);
		asked.subList(index + 1, asked.size()).forEach(Member::passOver);
		boolean goesOn = rejected.acquisition().left() > 0 && !this.outcome.isDone();
		if (goesOn && index > 0) {
			rejected.entry().passOver(rejected.acquisition(), rejected.turn(), held);
			ask(before.stream().map(Member::again).toList());
			return;
		}
		before.forEach(Member::passOver);
		rejected.answer(held, null);
		this.outcome.complete(List.of(rejected.acquisition()));
	}

	/**
	 * The part of one lock in a command to the store for several.
	 *
	 * @param turn the turn to acquire
	 */
	record Member(LockEntry entry, Acquisition acquisition, Turn turn, StoredLock stored) {

		Claim claim() {
			return new Claim(this.stored, this.turn.owner(), this.turn.ttl());
		}

		Member again() {
			return this.entry.again(this.acquisition);
		}

		void answer(@Nullable AcquireResult result, @Nullable Throwable failure) {
			this.entry.answered(this.turn, this.acquisition, result, failure);
		}

		void passOver() {
			this.entry.passOver(this.acquisition, this.turn, null);
		}

	}

}
