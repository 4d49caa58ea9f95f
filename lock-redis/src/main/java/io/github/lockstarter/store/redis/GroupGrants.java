package io.github.lockstarter.store.redis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.lettuce.core.cluster.SlotHash;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.store.AcquireAllResult;
import io.github.lockstarter.store.AcquireAllResult.AllGranted;
import io.github.lockstarter.store.AcquireAllResult.FirstHeld;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.GroupLockStore.Claim;

/**
 * Acquires several locks, all or none, in as few commands as Redis accepts. Several
 * commands are sent concurrently. If one of them finds a lock held, the locks that the
 * others have granted are released before the answer.
 */
final class GroupGrants {

	private static final AsyncLog logger = new AsyncLog(GroupGrants.class);

	private final RedisCalls calls;

	private volatile Together together;

	/**
	 * Creates grants.
	 * @param clustered whether the keys of one command have to be in one slot
	 */
	GroupGrants(RedisCalls calls, boolean clustered) {
		this.calls = calls;
		this.together = clustered ? Together.SLOT : Together.ALL;
	}

	CompletionStage<AcquireAllResult> acquireAll(List<Claim> wanted) {
		return acquireAll(wanted, this.together);
	}

	private CompletionStage<AcquireAllResult> acquireAll(List<Claim> wanted, Together together) {
		List<Subgroup> parts = split(wanted, together).stream()
			.map((places) -> new Subgroup(places, ask(places.stream().map(wanted::get).toList(), together)))
			.toList();
		if (parts.size() == 1) {
			return parts.get(0).answer();
		}
		return CompletableFuture.allOf(parts.stream().map(Subgroup::answer).toArray(CompletableFuture<?>[]::new))
			.handle((done, failure) -> putTogether(wanted, parts, failure))
			.thenCompose(Function.identity());
	}

	/** Returns the positions of the locks of each command. */
	private static Collection<List<Integer>> split(List<Claim> wanted, Together together) {
		Map<Integer, List<Integer>> parts = new LinkedHashMap<>();
		for (int i = 0; i < wanted.size(); i++) {
			int part = switch (together) {
				case ALL -> 0;
				case SLOT -> SlotHash.getSlot(lock(wanted.get(i)).redisKey());
				case NONE -> i;
			};
			parts.computeIfAbsent(part, (key) -> new ArrayList<>()).add(i);
		}
		return parts.values();
	}

	private CompletableFuture<AcquireAllResult> ask(List<Claim> wanted, Together together) {
		Claim first = wanted.get(0);
		if (wanted.size() == 1) {
			return lock(first).acquire(AcquireCommand.of(first.owner(), first.ttl()))
				.thenApply(GroupGrants::ofOne)
				.toCompletableFuture();
		}
		return this.calls
			.grant(lock(first).key(), first.ttl(), new GrantCommand<>(command(wanted), (numbers) -> numbers.get(0) > 0),
					Replies::acquiredAll, (failure) -> undo(wanted, failure))
			.handle((answer, failure) -> answered(wanted, together, answer, failure))
			.thenCompose(Function.identity())
			.toCompletableFuture();
	}

	private static AcquireAllResult ofOne(AcquireResult answer) {
		return (answer instanceof Granted granted) ? new AllGranted(List.of(granted)) : new FirstHeld(0, (Held) answer);
	}

	private static StoreCommand<List<Long>> command(List<Claim> wanted) {
		byte[][] keys = new byte[2 * wanted.size()][];
		byte[][] args = new byte[2 * wanted.size()][];
		for (int i = 0; i < wanted.size(); i++) {
			Claim each = wanted.get(i);
			keys[2 * i] = lock(each).redisKey();
			keys[2 * i + 1] = lock(each).fence();
			args[2 * i] = RedisLock.value(each.owner());
			args[2 * i + 1] = RedisLock.millis(each.ttl());
			lock(each).acquiredTogether(each.owner());
		}
		return Script.ACQUIRE_ALL.<Long>forEachOf(keys, args)
			.orWithoutMemory(() -> Script.ACQUIRE_ALL_WITHOUT_MEMORY.forEachOf(keys, args));
	}

	/**
	 * Releases the locks that may have been granted. A refused command has granted none.
	 */
	private static void undo(List<Claim> granted, @Nullable Throwable failure) {
		if (!Batches.isForSlots(failure)) {
			granted.forEach((each) -> lock(each).undo(each.owner(), each.ttl(), failure));
		}
	}

	private CompletionStage<AcquireAllResult> answered(List<Claim> wanted, Together together,
			@Nullable AcquireAllResult answer, @Nullable Throwable failure) {
		if (failure == null) {
			return CompletableFuture.completedFuture(answer);
		}
		if (!Batches.isForSlots(failure.getCause())) {
			return CompletableFuture.failedFuture(failure);
		}
		Together less = (together == Together.ALL) ? Together.SLOT : Together.NONE;
		if (together == Together.ALL && this.together == Together.ALL) {
			logger.info("Redis refuses commands for locks in several hash slots, so several commands are sent. "
					+ failure.getCause());
			this.together = less;
		}
		return acquireAll(wanted, less);
	}

	private static CompletionStage<AcquireAllResult> putTogether(List<Claim> wanted, List<Subgroup> parts,
			@Nullable Throwable failure) {
		Granted[] grants = new Granted[wanted.size()];
		FirstHeld first = null;
		for (Subgroup part : parts) {
			AcquireAllResult answer = part.answer().isCompletedExceptionally() ? null : part.answer().join();
			if (answer instanceof AllGranted all) {
				for (int i = 0; i < all.grants().size(); i++) {
					grants[part.places().get(i)] = all.grants().get(i);
				}
			}
			else if (answer instanceof FirstHeld held) {
				int place = part.places().get(held.index());
				first = (first == null || place < first.index()) ? new FirstHeld(place, held.held()) : first;
			}
		}
		if (failure == null && first == null) {
			return CompletableFuture.completedFuture(new AllGranted(List.of(grants)));
		}
		CompletionStage<AcquireAllResult> answer = (failure != null) ? CompletableFuture.failedFuture(failure)
				: CompletableFuture.completedFuture(first);
		List<CompletableFuture<Boolean>> releases = new ArrayList<>();
		for (int i = 0; i < grants.length; i++) {
			if (grants[i] != null) {
				Claim granted = wanted.get(i);
				releases.add(lock(granted).release(granted.owner(), null).toCompletableFuture());
			}
		}
		return CompletableFuture.allOf(releases.toArray(CompletableFuture<?>[]::new))
			.handle((released, ignored) -> answer)
			.thenCompose(Function.identity());
	}

	private static RedisLock lock(Claim acquisition) {
		return (RedisLock) acquisition.lock();
	}

	/** The locks that one command can contain. */
	private enum Together {

		ALL,

		/** Locks whose keys are in one slot of a cluster. */
		SLOT,

		NONE

	}

	/**
	 * The part of a group in one command.
	 *
	 * @param places the positions of its locks in the group
	 */
	private record Subgroup(List<Integer> places, CompletableFuture<AcquireAllResult> answer) {
	}

}
