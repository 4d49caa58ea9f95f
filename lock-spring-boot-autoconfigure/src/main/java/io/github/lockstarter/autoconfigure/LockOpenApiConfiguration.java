package io.github.lockstarter.autoconfigure;

import org.springdoc.core.utils.SpringDocUtils;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Configuration;

import io.github.lockstarter.Lease;

/**
 * Keeps {@link Lease} parameters out of the OpenAPI document: the lock fills them in, not
 * the client.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication
@ConditionalOnClass(SpringDocUtils.class)
class LockOpenApiConfiguration {

	static {
		// The settings of springdoc are those of the JVM.
		SpringDocUtils.getConfig().addRequestWrapperToIgnore(Lease.class);
	}

}
