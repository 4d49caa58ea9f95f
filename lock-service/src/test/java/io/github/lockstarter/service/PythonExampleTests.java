package io.github.lockstarter.service;

class PythonExampleTests extends ExampleTests {

	PythonExampleTests() {
		super("with_lock.py");
	}

}
