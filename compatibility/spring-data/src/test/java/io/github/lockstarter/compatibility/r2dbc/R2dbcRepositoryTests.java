package io.github.lockstarter.compatibility.r2dbc;

import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import io.r2dbc.spi.ConnectionFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.r2dbc.connection.init.ConnectionFactoryInitializer;
import org.springframework.r2dbc.connection.init.ResourceDatabasePopulator;

import io.github.lockstarter.compatibility.Locks;

import static org.junit.jupiter.api.Named.named;

/**
 * Repositories of Spring Data R2DBC.
 */
@SpringBootTest(classes = R2dbcRepositoryTests.Application.class,
		properties = { "lock.store=memory", "spring.r2dbc.generate-unique-name=true" },
		webEnvironment = SpringBootTest.WebEnvironment.NONE)
class R2dbcRepositoryTests {

	@Autowired
	private ApplicationContext context;

	@Autowired
	private TicketRepository injected;

	@ParameterizedTest
	@MethodSource
	@DisplayName("An annotated method of a reactive repository has its lock, for each subscription")
	void locked(String name, BiFunction<TicketRepository, String, Publisher<?>> call) {
		for (TicketRepository tickets : List.of(this.injected, this.context.getBean(TicketRepository.class))) {
			new Locks(this.context).assertLocked(name, (id) -> Flux.from(call.apply(tickets, id)).blockLast());
		}
	}

	private static Stream<Object[]> locked() {
		return Stream.of(row("find", "findById", TicketRepository::findById),
				row("find-by-holder", "a derived query", TicketRepository::findByHolder),
				row("return", "a declared query", TicketRepository::giveBack),
				row("save", "save", (tickets, id) -> tickets.deleteById(id).then(tickets.save(Ticket.of(id)))),
				row("replace", "a default method", TicketRepository::replace),
				row("print", "a fragment", TicketRepository::print));
	}

	private static Object[] row(String name, String what, BiFunction<TicketRepository, String, Publisher<?>> call) {
		return new Object[] { name, named(what, call) };
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		ConnectionFactoryInitializer schema(ConnectionFactory connections) {
			ConnectionFactoryInitializer schema = new ConnectionFactoryInitializer();
			schema.setConnectionFactory(connections);
			schema.setDatabasePopulator(new ResourceDatabasePopulator(new ByteArrayResource(
					"create table ticket (id varchar(40) primary key, holder varchar(40))".getBytes())));
			return schema;
		}

	}

}
