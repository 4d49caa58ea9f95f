package io.github.lockstarter.compatibility.redis;

import java.util.List;

import org.springframework.data.repository.CrudRepository;

import io.github.lockstarter.annotation.ExclusiveRequest;

@SuppressWarnings("unchecked")
interface BasketRepository extends CrudRepository<Basket, String> {

	@Override
	@ExclusiveRequest(name = "save", key = "#basket.id")
	Basket save(Basket basket);

	@ExclusiveRequest(name = "find", key = "#owner")
	List<Basket> findByOwner(String owner);

	@ExclusiveRequest(name = "empty", key = "#id")
	default void empty(String id) {
		deleteById(id);
	}

}
