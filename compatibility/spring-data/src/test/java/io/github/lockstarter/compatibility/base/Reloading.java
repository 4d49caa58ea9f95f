package io.github.lockstarter.compatibility.base;

interface Reloading {

	void reload(String id);

}
