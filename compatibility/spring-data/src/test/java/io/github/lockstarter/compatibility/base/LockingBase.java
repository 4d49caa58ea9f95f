package io.github.lockstarter.compatibility.base;

import jakarta.persistence.EntityManager;

import org.springframework.data.jpa.repository.support.JpaEntityInformation;
import org.springframework.data.jpa.repository.support.SimpleJpaRepository;

import io.github.lockstarter.annotation.ExclusiveRequest;

/**
 * The base class of repositories, of which Spring Data makes objects that are no beans.
 *
 * @param <T> the type of the entities
 */
class LockingBase<T> extends SimpleJpaRepository<T, String> implements Reloading {

	LockingBase(JpaEntityInformation<T, String> entity, EntityManager entities) {
		super(entity, entities);
	}

	@Override
	@ExclusiveRequest(name = "reload", key = "#id")
	public void reload(String id) {
	}

}
