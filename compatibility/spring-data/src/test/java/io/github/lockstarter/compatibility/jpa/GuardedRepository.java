package io.github.lockstarter.compatibility.jpa;

import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.repository.NoRepositoryBean;

import io.github.lockstarter.annotation.ExclusiveRequest;

/**
 * What the repositories of an application have in common.
 *
 * @param <T> the type of the entities
 */
@NoRepositoryBean
interface GuardedRepository<T> extends JpaRepository<T, String> {

	@Override
	@ExclusiveRequest(name = "delete", key = "#entity.id")
	void delete(T entity);

	@ExclusiveRequest(name = "reload", key = "#id")
	default void reload(String id) {
		findById(id);
	}

}
