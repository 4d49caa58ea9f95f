package io.github.lockstarter.test.example;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.ControllerAdvice;

import io.github.lockstarter.test.AutoConfigureLocks;
import io.github.lockstarter.test.TestLockRegistry;

import static org.assertj.core.api.Assertions.assertThat;

@WebMvcTest(OrderController.class)
@AutoConfigureLocks
class StandaloneOrderTests {

	@Autowired
	TestLockRegistry locks;

	MockMvcTester mvc;

	@BeforeEach
	void build(@Autowired OrderController controller, @Autowired ApplicationContext context) {
		Object[] advice = context.getBeansWithAnnotation(ControllerAdvice.class).values().toArray();
		this.mvc = MockMvcTester
			.create(MockMvcBuilders.standaloneSetup(controller).setControllerAdvice(advice).build());
	}

	@Test
	@DisplayName("A rejection keeps its status, although the application has an advice for every exception")
	void rejectsTheSameOrderMeanwhile() {
		this.locks.heldElsewhere("orders:1");
		assertThat(this.mvc.post().uri("/orders").header("Idempotency-Key", "1")).hasStatus(HttpStatus.CONFLICT)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
	}

	@Test
	@DisplayName("With only the advice of the application, that advice handles it")
	void withoutOurAdvice(@Autowired OrderController controller) {
		this.mvc = MockMvcTester
			.create(MockMvcBuilders.standaloneSetup(controller).setControllerAdvice(new CatchAll()).build());
		this.locks.heldElsewhere("orders:1");
		assertThat(this.mvc.post().uri("/orders").header("Idempotency-Key", "1"))
			.hasStatus(HttpStatus.INTERNAL_SERVER_ERROR);
	}

}
