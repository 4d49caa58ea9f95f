package io.github.lockstarter.compatibility.r2dbc;

import reactor.core.publisher.Mono;

class TicketPrinterImpl implements TicketPrinter {

	@Override
	public Mono<String> print(String id) {
		return Mono.just("ticket " + id);
	}

}
