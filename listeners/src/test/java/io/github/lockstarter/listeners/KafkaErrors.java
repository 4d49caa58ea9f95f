package io.github.lockstarter.listeners;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.core.KafkaOperations;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.util.backoff.FixedBackOff;

import io.github.lockstarter.LockException;
import io.github.lockstarter.MissingLockKeyException;
import io.github.lockstarter.PayloadMismatchException;

@Configuration(proxyBeanMethods = false)
class KafkaErrors {

	@Bean
	DefaultErrorHandler errorHandler(KafkaOperations<?, ?> template) {
		DefaultErrorHandler handler = new DefaultErrorHandler(new DeadLetterPublishingRecoverer(template),
				new FixedBackOff(1000, 2));
		handler.addNotRetryableExceptions(PayloadMismatchException.class, MissingLockKeyException.class);
		handler.setBackOffFunction((message, failure) -> isOfLock(failure)
				? new FixedBackOff(1000, FixedBackOff.UNLIMITED_ATTEMPTS) : null);
		return handler;
	}

	private static boolean isOfLock(Throwable failure) {
		return failure instanceof LockException || failure.getCause() instanceof LockException;
	}

}
