package io.github.lockstarter.service;

class NodeExampleTests extends ExampleTests {

	NodeExampleTests() {
		super("with-lock.mjs");
	}

}
