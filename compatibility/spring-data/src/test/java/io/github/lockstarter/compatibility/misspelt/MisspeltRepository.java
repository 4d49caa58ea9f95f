package io.github.lockstarter.compatibility.misspelt;

import java.util.List;

import org.springframework.data.jpa.repository.JpaRepository;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.compatibility.jpa.Order;

interface MisspeltRepository extends JpaRepository<Order, String> {

	@ExclusiveRequest(name = "misspelt", key = "#sate")
	List<Order> findByState(String state);

}
