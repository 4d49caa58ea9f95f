package io.github.lockstarter.frontdoors;

import java.lang.reflect.Type;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.messaging.converter.StringMessageConverter;
import org.springframework.messaging.handler.annotation.MessageExceptionHandler;
import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.simp.annotation.SendToUser;
import org.springframework.messaging.simp.config.ChannelRegistration;
import org.springframework.messaging.simp.config.MessageBrokerRegistry;
import org.springframework.messaging.simp.stomp.StompFrameHandler;
import org.springframework.messaging.simp.stomp.StompHeaders;
import org.springframework.messaging.simp.stomp.StompSession;
import org.springframework.messaging.simp.stomp.StompSessionHandlerAdapter;
import org.springframework.stereotype.Controller;
import org.springframework.web.socket.client.standard.StandardWebSocketClient;
import org.springframework.web.socket.config.annotation.EnableWebSocketMessageBroker;
import org.springframework.web.socket.config.annotation.StompEndpointRegistry;
import org.springframework.web.socket.config.annotation.WebSocketMessageBrokerConfigurer;
import org.springframework.web.socket.messaging.WebSocketStompClient;

import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.annotation.ExclusiveRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Locks on handlers of STOMP messages over WebSocket.
 */
@SpringBootTest(classes = StompTests.StompApplication.class, webEnvironment = WebEnvironment.RANDOM_PORT)
@ExtendWith(OutputCaptureExtension.class)
class StompTests {

	private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

	private final CountDownLatch subscribed = new CountDownLatch(1);

	private final WebSocketStompClient client = new WebSocketStompClient(new StandardWebSocketClient());

	@Autowired
	private Work work;

	private StompSession session;

	@BeforeEach
	void connect(@Value("${local.server.port}") int port) throws Exception {
		this.client.setMessageConverter(new StringMessageConverter());
		this.session = this.client
			.connectAsync("ws://localhost:%d/stomp".formatted(port), new StompSessionHandlerAdapter() {
			})
			.get(30, TimeUnit.SECONDS);
		this.session.subscribe("/user/queue/payments", new StompFrameHandler() {

			@Override
			public Type getPayloadType(StompHeaders headers) {
				return String.class;
			}

			@Override
			public void handleFrame(StompHeaders headers, @Nullable Object payload) {
				if ("ready".equals(payload)) {
					StompTests.this.subscribed.countDown();
				}
				else {
					StompTests.this.received.add(String.valueOf(payload));
				}
			}

		});
		// The broker does not confirm a subscription.
		await().until(() -> {
			this.session.send("/app/echo", "ready");
			return this.subscribed.await(100, TimeUnit.MILLISECONDS);
		});
	}

	@AfterEach
	void disconnect() {
		this.session.disconnect();
		this.client.stop();
		this.work.reset();
	}

	@Test
	@DisplayName("Of two messages at once one runs, and a handler of the application answers the other one")
	void oneRuns() throws Exception {
		this.session.send("/app/pay", "42");
		this.work.awaitBegun();
		this.session.send("/app/pay", "42");
		assertThat(this.received.poll(30, TimeUnit.SECONDS)).isEqualTo("rejected: request-in-progress");
		this.work.end();
		assertThat(this.received.poll(30, TimeUnit.SECONDS)).isEqualTo("1");
		assertThat(this.work.mostInside()).isEqualTo(1);
	}

	@Test
	@DisplayName("Without a handler, the message is lost and the log has an error")
	void withoutHandler(CapturedOutput output) throws Exception {
		this.session.send("/app/pay", "42");
		this.work.awaitBegun();
		this.session.send("/app/unmapped/pay", "42");
		await().until(() -> output.getAll().contains("Lock 'payment' is held by another caller"));
		this.work.end();
		assertThat(this.received.poll(30, TimeUnit.SECONDS)).isEqualTo("1");
		assertThat(this.work.runs()).isEqualTo(1);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableWebSocketMessageBroker
	@Import({ PaymentController.class, UnmappedController.class })
	static class StompApplication implements WebSocketMessageBrokerConfigurer {

		@Bean
		Work work() {
			return new Work();
		}

		@Override
		public void registerStompEndpoints(StompEndpointRegistry registry) {
			registry.addEndpoint("/stomp");
		}

		@Override
		public void configureMessageBroker(MessageBrokerRegistry registry) {
			registry.setApplicationDestinationPrefixes("/app").enableSimpleBroker("/queue");
		}

		/** Otherwise one thread handles all messages. */
		@Override
		public void configureClientInboundChannel(ChannelRegistration registration) {
			registration.executor(new SimpleAsyncTaskExecutor("stomp-"));
		}

	}

	@Controller
	static class PaymentController {

		private final Work work;

		PaymentController(Work work) {
			this.work = work;
		}

		@MessageMapping("/echo")
		@SendToUser("/queue/payments")
		String echo(@Payload String text) {
			return text;
		}

		@MessageMapping("/pay")
		@SendToUser("/queue/payments")
		@ExclusiveRequest(name = "payment", key = "#id")
		public String pay(@Payload String id) {
			return String.valueOf(this.work.run());
		}

		@MessageExceptionHandler
		@SendToUser("/queue/payments")
		String rejected(LockConflictException conflict) {
			return "rejected: " + conflict.getBody().getType().getPath().replace("/problems/", "");
		}

	}

	@Controller
	static class UnmappedController {

		private final Work work;

		UnmappedController(Work work) {
			this.work = work;
		}

		@MessageMapping("/unmapped/pay")
		@ExclusiveRequest(name = "payment", key = "#id")
		public void pay(@Payload String id) {
			this.work.run();
		}

	}

}
