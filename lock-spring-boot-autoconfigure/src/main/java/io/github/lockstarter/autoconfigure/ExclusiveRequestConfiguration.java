package io.github.lockstarter.autoconfigure;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.aop.ExclusiveRequestAdvisor;
import io.github.lockstarter.aop.InterfaceProxyCheck;
import io.github.lockstarter.share.ResultPredicate;
import io.github.lockstarter.share.ResultSharing;
import io.github.lockstarter.share.SharedResults;

/**
 * The advice for {@code @ExclusiveRequest}.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
@Import(ExclusiveRequestConfiguration.AutoProxy.class)
class ExclusiveRequestConfiguration {

	private static final Log logger = LogFactory.getLog(ExclusiveRequestConfiguration.class);

	@Bean
	@ConditionalOnMissingBean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static ExclusiveRequestAdvisor exclusiveRequestAdvisor(ObjectProvider<LockRegistry> registry,
			ObjectProvider<LockProperties> properties, ObjectProvider<SharedResults> sharing, Environment environment,
			BeanFactory beans) {
		return new ExclusiveRequestAdvisor(registry::getObject, (name) -> properties.getObject().settings(name),
				() -> properties.getObject().settings(), sharing::getObject, (text) -> resolve(text, environment),
				() -> properties.getObject().advisorOrder(),
				() -> properties.getObject().web().releaseOn() == LockProperties.Web.ReleaseOn.RESPONSE,
				() -> beans.containsBean(LockReactiveConfiguration.PENDING_ENTITY_HANDLER));
	}

	@Bean
	@ConditionalOnMissingBean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static SharedResults sharedResults(LockProperties properties, ObjectProvider<JsonMapper> mapper,
			ObjectProvider<ResultPredicate> predicate, ObjectProvider<LockCounts> counts) {
		return new SharedResults(properties.share().ttl(), properties.share().maxSize(),
				() -> mapper.getIfUnique(() -> JsonMapper.builder().build()),
				() -> predicate.getIfAvailable(() -> ResultPredicate.SUCCESSFUL), counts::getObject);
	}

	/** Who shares waits for the holder's result, also on the first request. */
	@Bean
	static SmartInitializingSingleton sharedResultsCheck(ExclusiveRequestAdvisor advisor,
			ObjectProvider<LockRegistry> registry) {
		return () -> {
			if (advisor.checkSharing()) {
				ResultSharing.registry(registry.getObject()).prepareSharing();
			}
		};
	}

	@Bean
	@ConditionalOnMissingBean
	static LockCounts lockCounts() {
		return new LockCounts();
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static InterfaceProxyCheck exclusiveRequestInterfaceProxyCheck() {
		return new InterfaceProxyCheck();
	}

	/**
	 * While a build processes the application ahead of time, only the places of
	 * annotations matter, and not every value is known there. What stands in for it is
	 * valid as a duration and as a name.
	 */
	private static String resolve(String text, Environment environment) {
		try {
			return environment.resolveRequiredPlaceholders(text);
		}
		catch (IllegalArgumentException ex) {
			if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
				return "1s";
			}
			throw ex;
		}
	}

	/**
	 * A misspelt name would leave a lock with other settings than the operator believes.
	 */
	@Bean
	static SmartInitializingSingleton unknownLockNameWarning(ExclusiveRequestAdvisor advisor,
			LockProperties properties) {
		return () -> properties.names()
			.keySet()
			.stream()
			.filter((name) -> !advisor.lockNames().contains(name))
			.forEach((name) -> logger.warn(
					"lock.names.%s: no @ExclusiveRequest of a bean created so far has that name; it holds only where code asks a LockRegistry for it. There are %s"
						.formatted(name, advisor.lockNames())));
	}

	/**
	 * Sees to it that advisors are applied, even where {@code spring.aop.auto} is off: an
	 * annotation that does nothing would be worse.
	 */
	static class AutoProxy implements ImportBeanDefinitionRegistrar {

		@Override
		public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
			AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
		}

	}

}
