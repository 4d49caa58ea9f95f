package io.github.lockstarter.compatibility.r2dbc;

import org.springframework.data.r2dbc.repository.Modifying;
import org.springframework.data.r2dbc.repository.Query;
import org.springframework.data.r2dbc.repository.R2dbcRepository;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import io.github.lockstarter.annotation.ExclusiveRequest;

interface TicketRepository extends R2dbcRepository<Ticket, String>, TicketPrinter {

	@Override
	@ExclusiveRequest(name = "find", key = "#id")
	Mono<Ticket> findById(String id);

	@ExclusiveRequest(name = "find-by-holder", key = "#holder")
	Flux<Ticket> findByHolder(String holder);

	@Modifying
	@Query("delete from ticket where id = :id")
	@ExclusiveRequest(name = "return", key = "#id")
	Mono<Integer> giveBack(String id);

	@Override
	@ExclusiveRequest(name = "save", key = "#ticket.id")
	<S extends Ticket> Mono<S> save(S ticket);

	@ExclusiveRequest(name = "replace", key = "#id")
	default Flux<Ticket> replace(String id) {
		return deleteById(id).thenMany(save(Ticket.of(id)));
	}

}
