package io.github.lockstarter.sample.demo;

import java.net.URI;

/**
 * An instance of the application.
 *
 * @param url the address of the instance
 * @param instanceId distinguishes it from an earlier instance with the same address
 */
record Instance(String url, String instanceId) {

	public String name() {
		return URI.create(this.url).getAuthority();
	}

}
