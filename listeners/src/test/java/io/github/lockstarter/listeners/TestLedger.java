package io.github.lockstarter.listeners;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/**
 * A ledger shared by all instances of a test, which controls the outcome of each booking.
 */
class TestLedger implements Ledger {

	private final List<String> begun = new CopyOnWriteArrayList<>();

	private final List<String> booked = new CopyOnWriteArrayList<>();

	private final Set<String> failing = ConcurrentHashMap.newKeySet();

	private final Map<String, CountDownLatch> held = new ConcurrentHashMap<>();

	@Override
	public void book(Payment payment) {
		String id = payment.id();
		this.begun.add(id);
		if (this.failing.remove(id)) {
			throw new IllegalStateException("This booking fails once");
		}
		try {
			this.held.getOrDefault(id, new CountDownLatch(0)).await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.booked.add(id);
	}

	/** Makes the next booking of the payment fail. */
	void failOnce(String id) {
		this.failing.add(id);
	}

	/** Makes bookings of the payment wait until they are released. */
	void hold(String id) {
		this.held.put(id, new CountDownLatch(1));
	}

	void release(String id) {
		this.held.get(id).countDown();
	}

	long begun(String id) {
		return this.begun.stream().filter(id::equals).count();
	}

	long booked(String id) {
		return this.booked.stream().filter(id::equals).count();
	}

}
