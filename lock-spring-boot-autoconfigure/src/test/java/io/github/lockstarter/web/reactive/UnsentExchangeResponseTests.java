package io.github.lockstarter.web.reactive;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A response that is made and not sent.
 */
class UnsentExchangeResponseTests {

	private static final byte[] PART = new byte[8];

	@Test
	@DisplayName("Of a body that is too large to be kept, one byte more than the limit is held in memory")
	void bounded() {
		UnsentExchangeResponse response = new UnsentExchangeResponse(new MockServerHttpResponse(),
				new RecordedBody(20));
		Flux<DataBuffer> body = Flux.range(0, 1000).map((each) -> DefaultDataBufferFactory.sharedInstance.wrap(PART));
		response.writeWith(body).block();
		assertThat(response.body()).hasSize(21);
	}

}
