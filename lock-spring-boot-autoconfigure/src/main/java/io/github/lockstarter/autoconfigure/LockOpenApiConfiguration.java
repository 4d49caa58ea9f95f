package io.github.lockstarter.autoconfigure;

import org.springdoc.core.customizers.GlobalOperationCustomizer;
import org.springdoc.core.utils.SpringDocUtils;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.lockstarter.Lease;
import io.github.lockstarter.openapi.LockOperationCustomizer;
import io.github.lockstarter.openapi.LockProblemSchema;
import io.github.lockstarter.operation.LockOperationSource;
import io.github.lockstarter.web.LockProblems;

/**
 * Configures the OpenAPI document of annotated handlers. {@link Lease} parameters are
 * excluded, because clients do not send them.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication
@ConditionalOnClass({ GlobalOperationCustomizer.class, SpringDocUtils.class })
@ConditionalOnBooleanProperty(name = "springdoc.api-docs.enabled", matchIfMissing = true)
class LockOpenApiConfiguration {

	static {
		// The settings of springdoc are static.
		SpringDocUtils.getConfig().addRequestWrapperToIgnore(Lease.class);
	}

	@Bean
	LockOperationCustomizer exclusiveRequestOperationCustomizer(ObjectProvider<LockOperationSource> operations,
			ObjectProvider<LockProblems> problems) {
		return new LockOperationCustomizer(operations::getObject, problems::getObject);
	}

	@Bean
	LockProblemSchema exclusiveRequestProblemSchema() {
		return new LockProblemSchema();
	}

}
