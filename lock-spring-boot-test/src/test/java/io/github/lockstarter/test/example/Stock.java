package io.github.lockstarter.test.example;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;

/** Uses a registry programmatically. */
class Stock {

	private final LockRegistry locks;

	private final Map<String, Integer> items = new HashMap<>();

	Stock(LockRegistry locks) {
		this.locks = locks;
	}

	/** Adds an item, unless the stock is being counted. */
	boolean add(String item) {
		Optional<Lease> lease = this.locks.tryAcquire("stock", Duration.ZERO);
		lease.ifPresent((held) -> {
			this.items.merge(item, 1, Integer::sum);
			held.close();
		});
		return lease.isPresent();
	}

}
