package io.github.lockstarter.starter;

import org.springframework.data.repository.CrudRepository;

/**
 * A repository that does not say of which module of Spring Data it is.
 */
interface VisitRepository extends CrudRepository<Visit, Long> {

}
