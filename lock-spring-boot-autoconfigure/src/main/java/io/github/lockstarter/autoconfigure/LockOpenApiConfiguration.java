package io.github.lockstarter.autoconfigure;

import org.springdoc.core.utils.SpringDocUtils;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.lockstarter.Lease;
import io.github.lockstarter.operation.LockOperationSource;
import io.github.lockstarter.web.openapi.LockedOperationCustomizer;

/**
 * What an OpenAPI document says of annotated handlers. {@link Lease} parameters are kept
 * out of it: the lock fills them in, not the client.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication
@ConditionalOnClass(SpringDocUtils.class)
class LockOpenApiConfiguration {

	static {
		// The settings of springdoc are those of the JVM.
		SpringDocUtils.getConfig().addRequestWrapperToIgnore(Lease.class);
	}

	@Bean
	static LockedOperationCustomizer exclusiveRequestOperationCustomizer(
			ObjectProvider<LockOperationSource> operations) {
		return new LockedOperationCustomizer(operations::getObject);
	}

}
