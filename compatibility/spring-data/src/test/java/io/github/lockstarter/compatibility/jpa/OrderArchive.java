package io.github.lockstarter.compatibility.jpa;

import io.github.lockstarter.annotation.ExclusiveRequest;

/**
 * A part of a repository that the application implements.
 */
interface OrderArchive {

	@ExclusiveRequest(name = "archive", key = "#id")
	void archive(String id);

	void restore(String id);

}
