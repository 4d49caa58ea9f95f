package io.github.lockstarter.web.reactive;

import reactor.core.publisher.Mono;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;

/**
 * A placeholder for the entity that a handler of Spring WebFlux returns. The handler is
 * called when its locks have been granted.
 */
final class DeferredResponseEntity extends ResponseEntity<Object> {

	private final Mono<?> entity;

	/**
	 * Creates an entity.
	 * @param entity acquires the locks, calls the handler and emits its entity
	 */
	DeferredResponseEntity(Mono<?> entity) {
		super(HttpStatus.ACCEPTED);
		this.entity = entity;
	}

	/** Acquires the locks, calls the handler and emits its entity. */
	Mono<?> entity() {
		return this.entity;
	}

	@Override
	public HttpStatusCode getStatusCode() {
		throw notYet();
	}

	@Override
	public HttpHeaders getHeaders() {
		throw notYet();
	}

	@Override
	public Object getBody() {
		throw notYet();
	}

	@Override
	public String toString() {
		return "Entity of a handler that waits for its lock";
	}

	private static IllegalStateException notYet() {
		return new IllegalStateException("A handler of Spring WebFlux with @ExclusiveRequest that returns an entity"
				+ " can be called only by Spring WebFlux: call another method from your own code");
	}

}
