package io.github.lockstarter.registry.lease;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.registry.runtime.EngineRuntime.Alarm;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStore.Renewal;

/**
 * Renews all held leases of a store, and detects those that have expired. One alarm
 * serves all leases. It is set to the lease that is due next. Leases that are due soon
 * after are then renewed together with it.
 */
public final class Renewals {

	private final Iterable<StoreLease> leases;

	private final LockStore store;

	private final EngineRuntime runtime;

	private final Lock monitor = new ReentrantLock();

	private @Nullable Alarm alarm;

	private volatile boolean set;

	private volatile long alarmAt;

	/**
	 * Creates renewals.
	 * @param leases the leases that are held
	 * @param store renews them
	 */
	public Renewals(Iterable<StoreLease> leases, LockStore store, EngineRuntime runtime) {
		this.leases = leases;
		this.store = store;
		this.runtime = runtime;
	}

	/** Adds a lease that has just been granted. */
	public void add(StoreLease lease) {
		if (!lease.isEnded()) {
			checkBy(lease.term().due());
		}
	}

	/** Renews all leases now, because the store may have lost them. */
	public void renewAll() {
		this.leases.forEach(StoreLease::renewNow);
		checkBy(this.runtime.nanoTime());
	}

	private void checkBy(long time) {
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
				this.alarm.cancel();
			}
			this.alarmAt = time;
			// Set before the alarm can run, which resets it.
			this.set = true;
			this.alarm = this.runtime.schedule(this::check, time - this.runtime.nanoTime());
		}
		catch (Throwable ex) {
			this.set = false;
			throw ex;
		}
		finally {
			this.monitor.unlock();
		}
	}

	private void check() {
		this.set = false;
		long now = this.runtime.nanoTime();
		List<StoreLease> due = new ArrayList<>();
		List<Renewal> renewals = new ArrayList<>();
		for (StoreLease lease : this.leases) {
			if (lease.isEnded()) {
				continue;
			}
			if (lease.term().isExpired(now)) {
				if (lease.term().postponeLoss(now)) {
					checkBy(lease.term().due());
				}
				else {
					lease.lose(lease.term().whyExpired());
				}
			}
			else {
				Duration ttl = lease.term().beginRenewal(now);
				if (!ttl.isZero()) {
					due.add(lease);
					renewals.add(lease.renewal(ttl));
				}
				checkBy(lease.term().due());
			}
		}
		if (!due.isEmpty()) {
			renew(due, renewals, now);
		}
	}

	private void renew(List<StoreLease> due, List<Renewal> renewals, long asked) {
		List<CompletionStage<Boolean>> answers;
		try {
			answers = List.copyOf(this.store.renewAll(renewals));
			Assert.state(answers.size() == due.size(), "the store has to answer each renewal");
		}
		catch (Throwable ex) {
			due.forEach((lease) -> renewed(lease, asked, Duration.ZERO, null, ex));
			return;
		}
		for (int i = 0; i < due.size(); i++) {
			StoreLease lease = due.get(i);
			Duration ttl = renewals.get(i).ttl();
			answers.get(i).whenComplete((owned, failure) -> renewed(lease, asked, ttl, owned, failure));
		}
	}

	private void renewed(StoreLease lease, long asked, Duration ttl, @Nullable Boolean owned,
			@Nullable Throwable failure) {
		lease.renewed(asked, ttl, owned, failure);
		if (!lease.isEnded()) {
			checkBy(lease.term().due());
		}
	}

}
