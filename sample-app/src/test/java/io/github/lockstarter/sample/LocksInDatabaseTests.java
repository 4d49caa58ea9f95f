package io.github.lockstarter.sample;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two instances of the application with their locks in the application's database.
 */
@Tag("once")
class LocksInDatabaseTests {

	@Test
	@DisplayName("Of two concurrent registrations of one name, one gets 201 and the other 409, without Redis")
	void oneWinner() {
		ControlledPoints.assertOneWinner("lock.store=jdbc", "lock.jdbc.command-timeout=30s", "spring.data.redis.port=1",
				"spring.datasource.url=jdbc:h2:mem:locks-in-database;DB_CLOSE_DELAY=-1");
	}

}
