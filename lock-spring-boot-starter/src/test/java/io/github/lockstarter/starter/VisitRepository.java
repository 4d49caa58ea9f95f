package io.github.lockstarter.starter;

import org.springframework.data.repository.CrudRepository;

/**
 * A repository without a type of a specific Spring Data module.
 */
interface VisitRepository extends CrudRepository<Visit, Long> {

}
