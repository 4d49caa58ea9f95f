package io.github.lockstarter.listeners;

import java.util.Map;

import jakarta.jms.JMSException;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.Lifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jms.config.JmsListenerEndpointRegistry;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.jms.support.converter.JacksonJsonMessageConverter;

import io.github.lockstarter.testing.LocalServer;

class JmsListenerTests extends ListenerContract {

	private final EmbeddedActiveMQ broker = new EmbeddedActiveMQ();

	private final String address = "tcp://127.0.0.1:" + LocalServer.reservePort();

	@Override
	Class<?> application() {
		return Application.class;
	}

	@Override
	Class<? extends Lifecycle> listeners() {
		return JmsListenerEndpointRegistry.class;
	}

	@Override
	String[] startBroker() {
		try {
			this.broker.setConfiguration(new ConfigurationImpl().setPersistenceEnabled(false)
				.setSecurityEnabled(false)
				.addAcceptorConfiguration("tcp", this.address)
				.addQueueConfiguration(QueueConfiguration.of("payments").setRoutingType(RoutingType.ANYCAST))
				.addQueueConfiguration(QueueConfiguration.of("DLQ").setRoutingType(RoutingType.ANYCAST))
				.addAddressSetting("#", new AddressSettings().setDeadLetterAddress(SimpleString.of("DLQ"))));
			this.broker.start();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
		return new String[] { "spring.artemis.mode=native",
				"spring.artemis.broker-url=" + this.address + "?consumerWindowSize=0" };
	}

	@Override
	void stopBroker() {
		try {
			this.broker.stop();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	void send(Payment payment) {
		server().bean(JmsTemplate.class).convertAndSend("payments", payment);
	}

	@Override
	long left() {
		return this.broker.getActiveMQServer().locateQueue("payments").getMessageCount();
	}

	@Override
	boolean isPutAside(String id) {
		return Boolean.TRUE.equals(server().bean(JmsTemplate.class).browse("DLQ", (session, browser) -> {
			var messages = browser.getEnumeration();
			while (messages.hasMoreElements()) {
				if (contains((jakarta.jms.Message) messages.nextElement(), id)) {
					return true;
				}
			}
			return false;
		}));
	}

	private static boolean contains(jakarta.jms.Message message, String text) throws JMSException {
		return message.getBody(String.class).contains(text);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(JmsPayments.class)
	static class Application {

		@Bean
		JacksonJsonMessageConverter json() {
			JacksonJsonMessageConverter converter = new JacksonJsonMessageConverter();
			converter.setTargetType(org.springframework.jms.support.converter.MessageType.TEXT);
			converter.setTypeIdPropertyName("type");
			converter.setTypeIdMappings(Map.of("payment", Payment.class));
			return converter;
		}

	}

}
