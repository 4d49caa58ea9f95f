package io.github.lockstarter.autoconfigure;

import java.io.InputStream;
import java.io.Writer;

import reactor.core.publisher.Mono;

import org.springframework.core.io.Resource;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.ModelAndView;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;

/**
 * Handlers whose values cannot be stored, but whose responses can, or whose arguments
 * cannot be compared, but whose requests can.
 */
final class ResponseHandlers {

	private ResponseHandlers() {
	}

	@RestController
	static class OfResource {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		@PostMapping("/")
		public Resource method() {
			return null;
		}

	}

	@RestController
	static class EntityOfResource {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		@PostMapping("/")
		public ResponseEntity<Resource> method() {
			return null;
		}

	}

	@Controller
	static class ViewName {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		@PostMapping("/")
		public String method() {
			return "view";
		}

	}

	@Controller
	static class ViewInMono {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		@PostMapping("/")
		public Mono<String> method() {
			return Mono.just("view");
		}

	}

	@Controller
	static class OfModelAndView {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		@PostMapping("/")
		public ModelAndView method() {
			return new ModelAndView();
		}

	}

	@RestController
	static class OfAnyEntity {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		@PostMapping("/")
		public ResponseEntity<?> method() {
			return ResponseEntity.ok("a");
		}

	}

	@RestController
	static class OfObject {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		@PostMapping("/")
		public Object method() {
			return "a";
		}

	}

	@RestController
	static class WritesItself {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		@PostMapping("/")
		public void method(Writer writer) {
		}

	}

	@RestController
	static class WritesText {

		@ExclusiveRequest(key = "header('a')", replay = "1h")
		@PostMapping("/")
		public String method(Writer writer) {
			return null;
		}

	}

	@RestController
	static class ReactiveBody {

		@ExclusiveRequest(key = "header('a')", replay = "1h")
		@PostMapping("/")
		public Mono<String> method(@RequestBody Mono<String> body) {
			return body;
		}

	}

	@RestController
	static class StreamedBody {

		@ExclusiveRequest(key = "header('a')", replay = "1h")
		@PostMapping("/")
		public String method(InputStream body) {
			return "a";
		}

	}

}
