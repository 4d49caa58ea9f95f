package io.github.lockstarter.compatibility.jpa;

import java.util.List;

import org.springframework.data.jpa.repository.JpaRepository;

import io.github.lockstarter.annotation.ExclusiveRequest;

@ExclusiveRequest(name = "annotated", key = "#state")
interface AnnotatedOrderRepository extends JpaRepository<Order, String> {

	List<Order> findByState(String state);

	default void count(String state) {
	}

}
