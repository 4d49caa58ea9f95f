package io.github.lockstarter.test.example;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.test.TestLockRegistry;

import static io.github.lockstarter.test.LockAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

class StockTests {

	@AutoClose
	TestLockRegistry locks = new TestLockRegistry();

	Stock stock = new Stock(this.locks);

	@Test
	@DisplayName("While another instance counts the stock, nothing is added to it")
	void addsNothingWhileItIsCounted() {
		this.locks.heldElsewhere("stock");
		assertThat(this.stock.add("tea")).isFalse();
		this.locks.reset();
		assertThat(this.stock.add("tea")).isTrue();
		assertThat(this.locks).isFree("stock");
	}

}
