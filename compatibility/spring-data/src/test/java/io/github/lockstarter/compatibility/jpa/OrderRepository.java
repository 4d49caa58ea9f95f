package io.github.lockstarter.compatibility.jpa;

import java.util.List;
import java.util.Optional;

import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.transaction.annotation.Transactional;

import io.github.lockstarter.annotation.ExclusiveRequest;

@SuppressWarnings("unchecked")
interface OrderRepository extends GuardedRepository<Order>, OrderArchive {

	@Override
	@ExclusiveRequest(name = "save", key = "#order.id")
	Order save(Order order);

	@Override
	@ExclusiveRequest(name = "save-all", keys = "#orders.![id]")
	<S extends Order> List<S> saveAll(Iterable<S> orders);

	@Override
	@ExclusiveRequest(name = "find-by-id", key = "#id")
	Optional<Order> findById(String id);

	@ExclusiveRequest(name = "find-by-state", key = "#state")
	List<Order> findByState(String state);

	@Modifying
	@Transactional
	@Query("update Order o set o.state = 'closed' where o.id = :id")
	@ExclusiveRequest(name = "close", key = "#id")
	int close(String id);

	@ExclusiveRequest(name = "cancel", key = "#id")
	default void cancel(String id) {
		deleteById(id);
	}

	@ExclusiveRequest(name = "resolved", keyResolver = "firstArgument")
	List<Order> findByStateAndId(String state, String id);

}
