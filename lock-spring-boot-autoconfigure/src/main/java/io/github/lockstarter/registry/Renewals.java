package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStore.Renewal;

/**
 * Keeps all held leases of a registry alive, and notices those that have run out. There
 * is one timer for all of them, set to the next lease that needs something; it then
 * renews those, too, that would need it soon, in one go.
 */
final class Renewals {

	private final Set<StoreLease> leases = ConcurrentHashMap.newKeySet();

	private final LockStore store;

	private final ScheduledExecutorService timer;

	private final Lock monitor = new ReentrantLock();

	private @Nullable Future<?> alarm;

	private volatile boolean set;

	private volatile long alarmAt;

	Renewals(LockStore store, ScheduledExecutorService timer) {
		this.store = store;
		this.timer = timer;
	}

	void add(StoreLease lease) {
		this.leases.add(lease);
		lookBy(lease.due());
	}

	void remove(StoreLease lease) {
		this.leases.remove(lease);
	}

	/** The store may have forgotten what is held, so all that can be is renewed now. */
	void renewAll() {
		this.leases.forEach(StoreLease::renewNow);
		lookBy(System.nanoTime());
	}

	private void lookBy(long time) {
		if (!this.set || time - this.alarmAt < 0) {
			setAlarm(time);
		}
	}

	private void setAlarm(long time) {
		this.monitor.lock();
		try {
			if (this.set && time - this.alarmAt >= 0) {
				return;
			}
			if (this.alarm != null) {
				this.alarm.cancel(false);
			}
			this.alarmAt = time;
			this.set = true;
			this.alarm = this.timer.schedule(this::look, Math.max(time - System.nanoTime(), 0), TimeUnit.NANOSECONDS);
		}
		finally {
			this.monitor.unlock();
		}
	}

	private void look() {
		this.set = false;
		long now = System.nanoTime();
		List<StoreLease> due = new ArrayList<>();
		List<Renewal> renewals = new ArrayList<>();
		for (StoreLease lease : this.leases) {
			if (lease.isEnded()) {
				remove(lease);
			}
			else if (lease.isExpired(now)) {
				lease.lose(lease.whyExpired());
			}
			else {
				Duration ttl = lease.beginRenewal(now);
				if (!ttl.isZero()) {
					due.add(lease);
					renewals.add(new Renewal(lease.key(), lease.bid().owner(), ttl));
				}
				lookBy(lease.due());
			}
		}
		if (!due.isEmpty()) {
			renew(due, renewals, now);
		}
	}

	private void renew(List<StoreLease> due, List<Renewal> renewals, long asked) {
		try {
			List<CompletionStage<Boolean>> answers = this.store.renewAll(renewals);
			for (int i = 0; i < due.size(); i++) {
				StoreLease lease = due.get(i);
				Duration ttl = renewals.get(i).ttl();
				answers.get(i).whenComplete((owned, failure) -> renewed(lease, asked, ttl, owned, failure));
			}
		}
		catch (RuntimeException ex) {
			due.forEach((lease) -> renewed(lease, asked, Duration.ZERO, null, ex));
		}
	}

	private void renewed(StoreLease lease, long asked, Duration ttl, @Nullable Boolean owned,
			@Nullable Throwable failure) {
		lease.renewed(asked, ttl, owned, failure);
		if (!lease.isEnded()) {
			lookBy(lease.due());
		}
	}

}
