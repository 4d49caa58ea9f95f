package io.github.lockstarter.listeners;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.Lifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.support.converter.JacksonJsonMessageConverter;
import org.springframework.kafka.test.EmbeddedKafkaBroker;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;

class KafkaListenerTests extends ListenerContract {

	private static final String DEAD = "payments-dlt";

	private static final int PARTITIONS = 2;

	private final EmbeddedKafkaBroker broker = new EmbeddedKafkaKraftBroker(1, PARTITIONS, "payments", DEAD)
		.brokerProperty("group.min.session.timeout.ms", "1000");

	private int sent;

	@Override
	Class<?> application() {
		return Application.class;
	}

	@Override
	Class<? extends Lifecycle> listeners() {
		return KafkaListenerEndpointRegistry.class;
	}

	@Override
	String[] startBroker() {
		this.broker.afterPropertiesSet();
		return new String[] { "spring.kafka.bootstrap-servers=" + this.broker.getBrokersAsString(),
				"spring.kafka.consumer.auto-offset-reset=earliest",
				"spring.kafka.consumer.properties.session.timeout.ms=1000",
				"spring.kafka.consumer.properties.heartbeat.interval.ms=300" };
	}

	@Override
	void stopBroker() {
		this.broker.destroy();
	}

	@Override
	@SuppressWarnings("unchecked")
	void send(Payment payment) {
		server().bean(KafkaTemplate.class)
			.send("payments", this.sent++ % PARTITIONS, payment.account(),
					new JsonMapper().writeValueAsString(payment));
	}

	@Override
	long left() {
		try (Admin admin = Admin.create(Map.of("bootstrap.servers", this.broker.getBrokersAsString()))) {
			Map<TopicPartition, OffsetAndMetadata> committed = admin.listConsumerGroupOffsets("ledger")
				.partitionsToOffsetAndMetadata()
				.get();
			return admin
				.listOffsets(IntStream.range(0, PARTITIONS)
					.mapToObj((i) -> new TopicPartition("payments", i))
					.collect(Collectors.toMap((each) -> each, (each) -> OffsetSpec.latest())))
				.all()
				.get()
				.entrySet()
				.stream()
				.mapToLong((end) -> end.getValue().offset() - committed.get(end.getKey()).offset())
				.sum();
		}
		catch (InterruptedException | ExecutionException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	boolean isPutAside(String id) {
		ConsumerFactory<?, ?> consumers = server().bean(ConsumerFactory.class);
		try (Consumer<?, ?> consumer = consumers.createConsumer("test", null)) {
			consumer.assign(IntStream.range(0, PARTITIONS).mapToObj((i) -> new TopicPartition(DEAD, i)).toList());
			consumer.seekToBeginning(List.copyOf(consumer.assignment()));
			return StreamSupport.stream(consumer.poll(Duration.ofSeconds(1)).spliterator(), false)
				.anyMatch((message) -> message.value().toString().contains(id));
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ KafkaPayments.class, KafkaErrors.class })
	static class Application {

		@Bean
		JacksonJsonMessageConverter json() {
			return new JacksonJsonMessageConverter();
		}

	}

}
