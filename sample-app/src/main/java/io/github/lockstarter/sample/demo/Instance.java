package io.github.lockstarter.sample.demo;

import java.net.URI;

/**
 * An instance of the application.
 *
 * @param url where it answers
 * @param instanceId tells it from one that answered there before
 * @param killable whether the page may kill it
 */
record Instance(String url, String instanceId, boolean killable) {

	public String name() {
		return URI.create(this.url).getAuthority();
	}

}
