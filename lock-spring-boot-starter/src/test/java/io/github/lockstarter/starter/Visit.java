package io.github.lockstarter.starter;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.jspecify.annotations.Nullable;

/**
 * Data of the application.
 */
@Entity
class Visit {

	@Id
	@Nullable Long id;

}
