package io.github.lockstarter.listeners;

import org.springframework.amqp.rabbit.config.ContainerCustomizer;
import org.springframework.amqp.rabbit.listener.ConditionalRejectingErrorHandler;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.lockstarter.MissingLockKeyException;
import io.github.lockstarter.PayloadMismatchException;

@Configuration(proxyBeanMethods = false)
class RabbitErrors {

	@Bean
	ContainerCustomizer<SimpleMessageListenerContainer> rejectWhatCannotSucceed() {
		return (container) -> container.setErrorHandler(new ConditionalRejectingErrorHandler(new NeverAgain()));
	}

	private static final class NeverAgain extends ConditionalRejectingErrorHandler.DefaultExceptionStrategy {

		@Override
		protected boolean isUserCauseFatal(Throwable cause) {
			return cause instanceof PayloadMismatchException || cause instanceof MissingLockKeyException;
		}

	}

}
