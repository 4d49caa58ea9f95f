package io.github.lockstarter.aop;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Tells the holdings of a request that it has ended.
 */
final class EndOfRequest {

	/** The name of the attribute that a request keeps it in. */
	static final String ATTRIBUTE = EndOfRequest.class.getName();

	private final List<Holding> holdings = new CopyOnWriteArrayList<>();

	private volatile boolean reached;

	void add(Holding holding) {
		holding.watch();
		this.holdings.add(holding);
		if (this.reached) {
			holding.requestEnded();
		}
	}

	void reached() {
		this.reached = true;
		this.holdings.forEach(Holding::requestEnded);
	}

}
