package io.github.lockstarter.listeners;

import java.nio.charset.StandardCharsets;

import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.core.QueueBuilder;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.amqp.support.converter.JacksonJsonMessageConverter;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.Lifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import io.github.lockstarter.testing.LocalRabbitMq;

class RabbitListenerTests extends ListenerContract {

	private final LocalRabbitMq broker = LocalRabbitMq.started();

	@Override
	Class<?> application() {
		return Application.class;
	}

	@Override
	Class<? extends Lifecycle> listeners() {
		return RabbitListenerEndpointRegistry.class;
	}

	@Override
	String[] startBroker() {
		return new String[] { "spring.rabbitmq.host=127.0.0.1", "spring.rabbitmq.port=" + this.broker.port(),
				"spring.rabbitmq.listener.simple.prefetch=1" };
	}

	@Override
	void stopBroker() {
		this.broker.close();
	}

	@Override
	void send(Payment payment) {
		server().bean(RabbitTemplate.class).convertAndSend("payments", payment, (message) -> {
			message.getMessageProperties().setMessageId(payment.id());
			return message;
		});
	}

	@Override
	long left() {
		CachingConnectionFactory connections = new CachingConnectionFactory("127.0.0.1", this.broker.port());
		try {
			return new RabbitAdmin(connections).getQueueInfo("payments").getMessageCount();
		}
		finally {
			connections.destroy();
		}
	}

	@Override
	boolean isPutAside(String id) {
		Message message = server().bean(RabbitTemplate.class).receive("payments.dead");
		return message != null && new String(message.getBody(), StandardCharsets.UTF_8).contains(id);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ RabbitPayments.class, RabbitErrors.class })
	static class Application {

		@Bean
		Queue payments() {
			return QueueBuilder.durable("payments")
				.deadLetterExchange("")
				.deadLetterRoutingKey("payments.dead")
				.build();
		}

		@Bean
		Queue dead() {
			return QueueBuilder.durable("payments.dead").build();
		}

		@Bean
		JacksonJsonMessageConverter json() {
			return new JacksonJsonMessageConverter();
		}

	}

}
