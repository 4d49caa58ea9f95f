package io.github.lockstarter.recipes;

import java.math.BigDecimal;
import java.util.UUID;

import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;

@RestController
class PaymentController {

	private final JdbcClient database;

	PaymentController(JdbcClient database) {
		this.database = database;
	}

	@PostMapping("/payments")
	@ResponseStatus(HttpStatus.CREATED)
	@ExclusiveRequest(name = "payments", key = "header('Idempotency-Key')", replay = "24h")
	@Transactional
	Payment pay(@RequestBody PaymentOrder order) {
		UUID id = UUID.randomUUID();
		this.database.sql("insert into payment (id, account, amount) values (?, ?, ?)")
			.params(id, order.account(), order.amount())
			.update();
		return new Payment(id, order.account(), order.amount());
	}

	record PaymentOrder(String account, BigDecimal amount) {

	}

	record Payment(UUID id, String account, BigDecimal amount) {

	}

}
