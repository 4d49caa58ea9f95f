package io.github.lockstarter.autoconfigure;

class OnSpringBoot40Tests extends SmallApplicationTests {

}
