package shop;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;

@SpringBootApplication
@RestController
public class Shop {

	@PostMapping("/orders/{id}")
	@ExclusiveRequest(name = "orders", key = "#id")
	String order(@PathVariable String id) {
		return id;
	}

}
