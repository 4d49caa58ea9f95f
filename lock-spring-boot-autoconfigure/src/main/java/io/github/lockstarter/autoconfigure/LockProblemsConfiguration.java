package io.github.lockstarter.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.lockstarter.operation.ConflictStatuses;
import io.github.lockstarter.web.LockProblems;

/**
 * Configures the texts of the responses to clients, and the status of conflicts. GraphQL
 * and gRPC need them without a web application, too.
 */
@Configuration(proxyBeanMethods = false)
class LockProblemsConfiguration {

	/**
	 * Uses the message source of the context, because an application may have others,
	 * too.
	 */
	@Bean
	@ConditionalOnMissingBean
	LockProblems exclusiveRequestProblems(ApplicationContext messages, LockProperties properties) {
		return new LockProblems(messages, properties.web().problemBaseUri());
	}

	@Bean
	ConflictStatuses exclusiveRequestConflictStatuses(LockProperties properties) {
		return new ConflictStatuses(properties::conflictStatusCode);
	}

}
