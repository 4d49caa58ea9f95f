package io.github.lockstarter.autoconfigure;

import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.interceptor.AsyncExecutionAspectSupport;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.TaskExecutor;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.function.SingletonSupplier;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.event.LockEvents;
import io.github.lockstarter.interceptor.CallObserver;
import io.github.lockstarter.interceptor.CallerTasks;
import io.github.lockstarter.interceptor.ExclusiveRequestAdvisor;
import io.github.lockstarter.interceptor.ExclusiveRequestInterceptor;
import io.github.lockstarter.interceptor.InterceptorContext;
import io.github.lockstarter.interceptor.InterfaceProxyCheck;
import io.github.lockstarter.interceptor.LastRuns;
import io.github.lockstarter.interceptor.LockPlacement;
import io.github.lockstarter.interceptor.ReactiveRequestSupport;
import io.github.lockstarter.interceptor.RequestSupport;
import io.github.lockstarter.operation.LockOperation;
import io.github.lockstarter.operation.LockOperationSource;
import io.github.lockstarter.operation.LockOperationValidator;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.registry.runtime.ThreadedRuntime;
import io.github.lockstarter.result.ResultPredicate;
import io.github.lockstarter.result.ResultSharing;
import io.github.lockstarter.result.SharingSettings;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStores;

/**
 * The advice for {@code @ExclusiveRequest}.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
@Import(ExclusiveRequestConfiguration.AutoProxy.class)
class ExclusiveRequestConfiguration {

	private static final Log logger = LogFactory.getLog(ExclusiveRequestConfiguration.class);

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockOperationSource exclusiveRequestOperationSource(ObjectProvider<LockProperties> properties,
			ObjectProvider<SharingSettings> sharing, Environment environment, ConfigurableListableBeanFactory beans) {
		return new LockOperationSource(new ApplicationOperationEnvironment(properties, sharing, environment, beans));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static ExclusiveRequestInterceptor exclusiveRequestInterceptor(LockOperationSource operations,
			ObjectProvider<LockRegistry> registry, ObjectProvider<LockEventCounter> counts, LastRuns runs,
			LockEvents events, ObjectProvider<CallerTasks> tasks, ObjectProvider<RequestSupport> requests,
			ObjectProvider<ReactiveRequestSupport> reactiveRequests, ObjectProvider<LockProperties> properties) {
		// An Optional, because a SingletonSupplier does not cache null and would search
		// in each call.
		Supplier<Optional<ReactiveRequestSupport>> reactive = SingletonSupplier
			.of(() -> Optional.ofNullable(reactiveRequests.getIfAvailable()));
		return new ExclusiveRequestInterceptor(operations,
				() -> new InterceptorContext(registry::getObject, new CallObserver(counts.getObject(), runs, events),
						tasks.getObject(), properties.getObject().web().releaseOn()),
				SingletonSupplier.of(() -> requests.getIfAvailable(() -> RequestSupport.NONE)),
				() -> reactive.get().orElse(null));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static CallerTasks exclusiveRequestCallerTasks(BeanFactory beans, ObjectProvider<TaskExecutor> executors,
			ObjectProvider<TaskDecorator> decorators) {
		return new CallerTasks(SingletonSupplier.of(() -> taskExecutor(beans, executors))::obtain,
				SingletonSupplier.of(() -> decorators.orderedStream().toList())::obtain);
	}

	/**
	 * Returns the executor that Spring Boot gives to Spring MVC and to {@code @Async}, or
	 * else what {@code @Async} finds without Spring Boot.
	 */
	private static Executor taskExecutor(BeanFactory beans, ObjectProvider<TaskExecutor> executors) {
		Executor ofBoot = executor(beans, TaskExecutionAutoConfiguration.APPLICATION_TASK_EXECUTOR_BEAN_NAME);
		Executor unique = (ofBoot != null) ? ofBoot : executors.getIfUnique();
		Executor named = (unique != null) ? unique
				: executor(beans, AsyncExecutionAspectSupport.DEFAULT_TASK_EXECUTOR_BEAN_NAME);
		return (named != null) ? named : new SimpleAsyncTaskExecutor("lock-calls-");
	}

	private static @Nullable Executor executor(BeanFactory beans, String name) {
		return (beans.containsBean(name) && beans.isTypeMatch(name, Executor.class))
				? beans.getBean(name, Executor.class) : null;
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LastRuns exclusiveRequestLastRuns() {
		return new LastRuns();
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockEvents exclusiveRequestEvents(ApplicationEventPublisher events, ObjectProvider<EngineRuntime> runtime,
			ObjectProvider<LockEventCounter> counts) {
		return new LockEvents(events::publishEvent, SingletonSupplier.of(() -> runtime.getObject().listeners())::obtain,
				SingletonSupplier.of(counts::getObject)::obtain);
	}

	/**
	 * The time, the threads and the randomness of the registry. The threads for listeners
	 * are also needed without it.
	 */
	@Bean
	@Lazy
	@ConditionalOnMissingBean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static EngineRuntime exclusiveRequestRuntime() {
		return new ThreadedRuntime();
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static ConflictEventListeners exclusiveRequestConflictEventListeners(LockEvents events,
			ApplicationContext context) {
		return new ConflictEventListeners(events, context);
	}

	@Bean
	@ConditionalOnMissingBean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static ExclusiveRequestAdvisor exclusiveRequestAdvisor(LockOperationSource operations,
			ExclusiveRequestInterceptor interceptor, ObjectProvider<LockProperties> properties) {
		return new ExclusiveRequestAdvisor(operations, interceptor, () -> properties.getObject().advisorOrder());
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockOperationValidator exclusiveRequestValidator(LockOperationSource operations) {
		return new LockOperationValidator(operations);
	}

	@Bean
	@ConditionalOnMissingBean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static SharingSettings exclusiveRequestSharingSettings(LockProperties properties, ObjectProvider<JsonMapper> mapper,
			ObjectProvider<ResultPredicate> predicate, ObjectProvider<LockEventCounter> counts,
			ObjectProvider<LockStores> stores, ObjectProvider<LockStore> store) {
		return new SharingSettings(properties.share().ttl(), properties.share().maxSize(),
				new ApplicationSharingContext(mapper, predicate, counts, stores, store));
	}

	/**
	 * Checks the annotations of products of factories, such as repositories, which may be
	 * created only by the first call. It is declared before the beans that use all names
	 * of locks.
	 */
	@Bean
	static SmartInitializingSingleton exclusiveRequestFactoryProductsCheck(LockOperationSource operations,
			ConfigurableListableBeanFactory beans) {
		return () -> Stream.of(beans.getBeanNamesForType(FactoryBean.class, false, false))
			.map((factory) -> beans.getType(BeanFactoryUtils.transformedBeanName(factory), false))
			.filter(Objects::nonNull)
			.forEach(operations::of);
	}

	/**
	 * Prepares the registry for shared results before the first request. Only a custom
	 * registry of the application is checked for the support of sharing: the replacement
	 * in a test may never be called.
	 */
	@Bean
	static SmartInitializingSingleton exclusiveRequestSharedResultsCheck(LockOperationSource operations,
			LockOperationValidator validator, ObjectProvider<LockRegistry> registry, BeanFactory beans) {
		return () -> {
			validator.checkSharing();
			boolean standIn = LockRegistryConfiguration.isReplaced(beans)
					|| beans.containsBean(LockSliceAutoConfiguration.REGISTRY);
			if (!standIn) {
				operations.sharedLockNames().forEach((name) -> ResultSharing.prepare(registry.getObject(), name));
			}
		};
	}

	@Bean
	@ConditionalOnMissingBean
	static LockEventCounter exclusiveRequestCounts() {
		return new LockEventCounter();
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockPlacement exclusiveRequestPlacement() {
		return new LockPlacement();
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static InterfaceProxyCheck exclusiveRequestInterfaceProxyCheck(ObjectProvider<LockOperationValidator> validator) {
		return new InterfaceProxyCheck(validator::getObject);
	}

	/** Warns at startup about methods that run without a lock. */
	@Bean
	static SmartInitializingSingleton exclusiveRequestUnguardedWarning(LockOperationSource operations,
			LockProperties properties) {
		return () -> {
			if (!properties.enabled()) {
				logger.warn("lock.enabled=false: methods with @ExclusiveRequest run without their locks");
			}
			else {
				warn(operations, (operation) -> !operation.enabled(),
						"lock.names.<name>.enabled is false for %s: methods run without these locks");
				warn(operations, LockOperation::proceedsOnStoreFailure,
						"on-store-failure is proceed for %s: while the store fails, methods run without these locks, concurrently");
			}
		};
	}

	/** Warns at startup about times to live whose unit was probably forgotten. */
	@Bean
	static SmartInitializingSingleton exclusiveRequestShortTtlWarning(LockProperties properties) {
		return () -> properties.shortTtls()
			.forEach((property, ttl) -> logger.warn(
					"%s is %d ms: a short pause of this instance loses such a lock while its work runs. A time without a unit is in milliseconds"
						.formatted(property, ttl.toMillis())));
	}

	private static void warn(LockOperationSource operations, Predicate<LockOperation> matching, String what) {
		Set<String> names = operations.operations()
			.filter(matching)
			.map(LockOperation::name)
			.collect(Collectors.toCollection(TreeSet::new));
		if (!names.isEmpty()) {
			logger.warn(what.formatted(names));
		}
	}

	@Bean
	static LockNameWarning exclusiveRequestLockNameWarning(LockOperationSource operations, LockProperties properties) {
		return new LockNameWarning(operations, properties);
	}

	/**
	 * Ensures that advisors are applied, even if {@code spring.aop.auto} is off, so that
	 * an annotation is never without effect. In a slice such as {@code @WebMvcTest},
	 * Spring Boot does not apply advisors either. Proxies extend classes there as in the
	 * whole application, because controllers that implement an interface would otherwise
	 * lose their mappings.
	 */
	static class AutoProxy implements ImportBeanDefinitionRegistrar, EnvironmentAware {

		private boolean proxyClasses;

		private boolean automatic;

		@Override
		public void setEnvironment(Environment environment) {
			this.proxyClasses = environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true);
			this.automatic = environment.getProperty("spring.aop.auto", Boolean.class, true);
		}

		@Override
		public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
			boolean ofApplication = registry.containsBeanDefinition(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME);
			AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
			if (this.proxyClasses && (this.automatic || !ofApplication)) {
				AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
			}
		}

	}

}
