package io.github.lockstarter.sample.demo;

import java.net.URI;

/**
 * An instance of the application.
 *
 * @param url the address of its web server
 * @param instanceId distinguishes it from an earlier instance at the same address
 * @param killable whether the page may kill it
 * @param store the store of its locks
 */
record Instance(String url, String instanceId, boolean killable, String store) {

	public String name() {
		return URI.create(this.url).getAuthority();
	}

}
