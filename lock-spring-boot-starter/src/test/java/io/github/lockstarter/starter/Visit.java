package io.github.lockstarter.starter;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.jspecify.annotations.Nullable;

/**
 * An entity of the application.
 */
@Entity
class Visit {

	@Id
	@Nullable Long id;

}
