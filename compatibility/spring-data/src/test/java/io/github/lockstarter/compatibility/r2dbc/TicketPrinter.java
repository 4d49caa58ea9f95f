package io.github.lockstarter.compatibility.r2dbc;

import reactor.core.publisher.Mono;

import io.github.lockstarter.annotation.ExclusiveRequest;

/**
 * A part of a repository that the application implements.
 */
interface TicketPrinter {

	@ExclusiveRequest(name = "print", key = "#id")
	Mono<String> print(String id);

}
