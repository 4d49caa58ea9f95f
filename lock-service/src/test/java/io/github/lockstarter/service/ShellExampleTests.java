package io.github.lockstarter.service;

class ShellExampleTests extends ExampleTests {

	ShellExampleTests() {
		super("with-lock.sh");
	}

}
