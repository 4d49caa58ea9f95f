package shop;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import io.github.lockstarter.test.AutoConfigureLocks;
import io.github.lockstarter.test.OtherHolder;
import io.github.lockstarter.test.TestLockRegistry;

import static io.github.lockstarter.test.LockAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

@WebMvcTest
@AutoConfigureLocks
class ShopTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private TestLockRegistry locks;

	@Test
	void rejectsTheSameOrderMeanwhile() {
		OtherHolder other = this.locks.heldElsewhere("orders:7");
		assertThat(this.mvc.post().uri("/orders/7")).hasStatus(HttpStatus.CONFLICT);
		other.close();
		assertThat(this.mvc.post().uri("/orders/7")).hasStatus(HttpStatus.OK);
		assertThat(this.locks).isFree("orders:7");
	}

}
