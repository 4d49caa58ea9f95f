package io.github.lockstarter.autoconfigure;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyFactoryBean;
import org.springframework.aop.target.HotSwappableTargetSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.FilterType;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.data.annotation.Id;
import org.springframework.data.redis.core.RedisHash;
import org.springframework.data.redis.core.index.Indexed;
import org.springframework.data.redis.repository.configuration.EnableRedisRepositories;
import org.springframework.data.repository.CrudRepository;
import org.springframework.data.repository.NoRepositoryBean;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.interceptor.ExclusiveRequestAdvisor;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Named.named;

/**
 * Beans that are proxies already when the lock is added to them, such as repositories.
 */
@Tag("jdk")
class LockedProxiesTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.store=memory");

	private final ApplicationContextRunner withRepositories = this.runner
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
		.withPropertyValues(TestRedis.properties())
		.withUserConfiguration(Repositories.class);

	@ParameterizedTest
	@ValueSource(classes = { IntroducedInterface.class, IntroducedInterfaceOfClassProxy.class, OfFactoryBean.class,
			PlainProxy.class, ScopedByClass.class, ScopedByInterface.class, ProxyOfProxies.class, Swappable.class,
			Lambda.class, MethodReference.class })
	@DisplayName("A method that is annotated on an interface of a proxy has its lock")
	void proxies(Class<?> configuration) {
		Stream.of("true", "false")
			.forEach((classes) -> this.runner.withPropertyValues("spring.aop.proxy-target-class=" + classes)
				.withUserConfiguration(configuration)
				.run((context) -> assertLocked(context, "order",
						(id) -> context.getBean("orders", Orders.class).process(id))));
	}

	@ParameterizedTest
	@MethodSource
	@DisplayName("An annotated method of a repository has its lock, wherever it is declared and implemented")
	void repositories(String name, CallOfRepository call) {
		this.withRepositories.run((context) -> {
			OrderRepository orders = context.getBean(OrderRepository.class);
			assertLocked(context, name, (id) -> call.accept(orders, id));
		});
	}

	static Stream<Object[]> repositories() {
		return Stream.of(row("save", "an overridden method", (orders, id) -> orders.save(Order.of(id))),
				row("save", "the overridden method", (orders, id) -> save(orders, Order.of(id))),
				row("delete", "an inherited method of the application", (orders, id) -> orders.delete(Order.of(id))),
				row("find", "a query", OrderRepository::findByState),
				row("default", "a default method", OrderRepository::cancel),
				row("fragment", "a fragment", OrderRepository::archive));
	}

	private static Object[] row(String name, String what, CallOfRepository call) {
		return new Object[] { name, named(what, call) };
	}

	private static <T> void save(CrudRepository<T, String> repository, T entity) {
		repository.save(entity);
	}

	@Test
	@DisplayName("An annotation on a repository covers the methods that it declares, and not those of Spring Data")
	void typeOfRepository() {
		this.withRepositories.run((context) -> {
			AnnotatedRepository orders = context.getBean(AnnotatedRepository.class);
			try (Lease held = acquire(context, "annotated", "42")) {
				assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> orders.findByState("42"));
				assertThat(orders.findByState("43")).isEmpty();
				assertThat(orders.findById("42")).isEmpty();
				assertThat(held.isHeld()).isTrue();
			}
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { DefaultName.class, DefaultNameOfLambda.class })
	@DisplayName("The default name of a lock is that of the interface, which is the same in all instances")
	void defaultName(Class<?> configuration) {
		this.runner.withUserConfiguration(configuration)
			.run((context) -> assertLocked(context, WithoutName.class.getName() + ".process(java.lang.String)",
					(id) -> context.getBean(WithoutName.class).process(id)));
	}

	@Test
	@DisplayName("A misspelt key of a repository prevents startup, even if no bean uses the repository")
	void misspeltKey() {
		this.runner.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
			.withPropertyValues(TestRedis.properties())
			.withUserConfiguration(MisspeltRepositories.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LockConfigurationException.class)
				.hasMessageContaining("#oder"));
	}

	@ParameterizedTest
	@ValueSource(classes = { AnnotatedTarget.class, AnnotatedTypeOfTarget.class, PartlyAnnotated.class,
			PartlyAnnotatedInterfaces.class })
	@DisplayName("A proxy that calls an annotated method of an object that is no bean prevents startup")
	void annotatedTarget(Class<?> configuration) {
		this.runner.withUserConfiguration(configuration)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockConfigurationException.class)
				.hasMessageContaining("process"));
	}

	@Test
	@DisplayName("The product of a factory that calls such a method cannot be used")
	void annotatedTargetOfFactoryBean() {
		this.runner.withUserConfiguration(AnnotatedTargetOfFactoryBean.class)
			.run((context) -> assertThatException().isThrownBy(() -> context.getBean("outer"))
				.havingRootCause()
				.isInstanceOf(LockConfigurationException.class));
	}

	@ParameterizedTest
	@ValueSource(classes = { GuardedTarget.class, ProxyOfBean.class })
	@DisplayName("A proxy around a lock, or by an annotated interface, calls the method with its lock")
	void guardedTarget(Class<?> configuration) {
		this.runner.withUserConfiguration(configuration)
			.run((context) -> assertLocked(context, "order",
					(id) -> context.getBean("outer", Plain.class).process(id)));
	}

	@Test
	@DisplayName("A proxy by an annotated generic interface calls the method with its lock")
	void guardedGenericTarget() {
		this.runner.withUserConfiguration(GuardedGenericTarget.class)
			.run((context) -> assertLocked(context, "order", context.getBean(StringGeneric.class)::process));
	}

	@Test
	@DisplayName("A call on a target without the annotation that its proxy has found before fails, and does not run without a lock")
	void replacedTarget() {
		this.runner.withUserConfiguration(ReplacedTarget.class).run((context) -> {
			Plain orders = context.getBean(Plain.class);
			assertLocked(context, "order", orders::process);
			context.getBean(HotSwappableTargetSource.class).swap(new Unannotated());
			assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> orders.process("42"))
				.withMessageContaining(Unannotated.class.getName());
		});
	}

	private static void assertLocked(ApplicationContext context, String name, Consumer<String> call) {
		call.accept("42");
		try (Lease held = acquire(context, name, "42")) {
			assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> call.accept("42"));
			call.accept("43");
			assertThat(held.isHeld()).isTrue();
		}
		call.accept("42");
	}

	private static Lease acquire(ApplicationContext context, String name, String key) {
		return context.getBean(LockRegistry.class)
			.acquire(new LockKey(name, key), LockOptions.of(Duration.ofMinutes(1)));
	}

	interface CallOfRepository {

		void accept(OrderRepository orders, String id);

	}

	interface Orders {

		@ExclusiveRequest(name = "order", key = "#id")
		String process(String id);

	}

	/** It has the method, but neither the interface nor the annotation. */
	static class Target {

		public String process(String id) {
			return id;
		}

	}

	private static final MethodInterceptor PROCESS = (invocation) -> invocation.getMethod().getName().equals("process")
			? invocation.getArguments()[0] : invocation.proceed();

	@Configuration(proxyBeanMethods = false)
	static class IntroducedInterface {

		@Bean
		Object orders() {
			return factory().getProxy();
		}

		static ProxyFactory factory() {
			ProxyFactory factory = new ProxyFactory(new Target());
			factory.addInterface(Orders.class);
			factory.addAdvice(PROCESS);
			return factory;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class IntroducedInterfaceOfClassProxy {

		@Bean
		Orders orders() {
			ProxyFactory factory = IntroducedInterface.factory();
			factory.setProxyTargetClass(true);
			return (Orders) factory.getProxy();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfFactoryBean {

		@Bean
		ProxyFactoryBean orders() {
			ProxyFactoryBean factory = new ProxyFactoryBean();
			factory.setTarget(new Target());
			factory.addInterface(Orders.class);
			factory.addAdvice(PROCESS);
			return factory;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PlainProxy {

		@Bean
		Orders orders() {
			return (Orders) Proxy.newProxyInstance(Orders.class.getClassLoader(), new Class<?>[] { Orders.class },
					(proxy, method, args) -> args[0]);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ScopedByClass {

		@Bean
		@Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
		Implementation orders() {
			return new Implementation();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ScopedByInterface {

		@Bean
		@Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.INTERFACES)
		Orders orders() {
			return new Implementation();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ProxyOfProxies {

		@Bean
		Orders orders() {
			ProxyFactory outer = new ProxyFactory(IntroducedInterface.factory().getProxy());
			outer.addAdvice((MethodInterceptor) (invocation) -> invocation.proceed());
			return (Orders) outer.getProxy();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Swappable {

		@Bean
		Orders orders() {
			return ProxyFactory.getProxy(Orders.class, new HotSwappableTargetSource(new Implementation()));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Lambda {

		@Bean
		Orders orders() {
			return (id) -> id;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MethodReference {

		@Bean
		Orders orders() {
			return String::trim;
		}

	}

	static class Implementation implements Orders {

		@Override
		public String process(String id) {
			return id;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class DefaultName {

		@Bean
		WithoutName orders() {
			return (WithoutName) Proxy.newProxyInstance(WithoutName.class.getClassLoader(),
					new Class<?>[] { WithoutName.class }, (proxy, method, args) -> args[0]);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class DefaultNameOfLambda {

		@Bean
		WithoutName orders() {
			return (id) -> id;
		}

	}

	interface WithoutName {

		@ExclusiveRequest(key = "#id")
		String process(String id);

	}

	@Configuration(proxyBeanMethods = false)
	static class ReplacedTarget {

		@Bean
		HotSwappableTargetSource source() {
			return new HotSwappableTargetSource(new Annotated());
		}

		@Bean
		Plain orders(HotSwappableTargetSource source, ExclusiveRequestAdvisor advisor) {
			ProxyFactory factory = new ProxyFactory();
			factory.setTargetSource(source);
			factory.addInterface(Plain.class);
			factory.addAdvisor(advisor);
			return (Plain) factory.getProxy();
		}

	}

	interface Plain {

		String process(String id);

	}

	static class Annotated implements Plain {

		@Override
		@ExclusiveRequest(name = "order", key = "#id")
		public String process(String id) {
			return id;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class AnnotatedTarget {

		@Bean
		Plain outer() {
			return proxyOf(new Annotated());
		}

	}

	private static Plain proxyOf(Plain target) {
		ProxyFactory factory = new ProxyFactory(target);
		factory.addAdvice((MethodInterceptor) (invocation) -> invocation.proceed());
		return (Plain) factory.getProxy();
	}

	@Configuration(proxyBeanMethods = false)
	static class AnnotatedTargetOfFactoryBean {

		@Bean
		ProxyFactoryBean outer() {
			ProxyFactoryBean factory = new ProxyFactoryBean();
			factory.setTarget(new Annotated());
			return factory;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class AnnotatedTypeOfTarget {

		@Bean
		Plain outer() {
			return proxyOf(new AnnotatedType());
		}

	}

	@ExclusiveRequest(name = "order", key = "#id")
	static class AnnotatedType implements Plain {

		@Override
		public String process(String id) {
			return id;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PartlyAnnotated {

		@Bean
		Plain outer() {
			return proxyOf(new Part());
		}

	}

	interface OtherPart {

		@ExclusiveRequest(name = "other")
		void other();

	}

	static class Part extends Annotated implements OtherPart {

		@Override
		public void other() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class GuardedTarget {

		@Bean
		Plain outer() {
			return proxyOf(new OfGuarded());
		}

	}

	interface Guarded extends Plain {

		@Override
		@ExclusiveRequest(name = "order", key = "#id")
		String process(String id);

	}

	static class OfGuarded implements Guarded {

		@Override
		public String process(String id) {
			return id;
		}

	}

	interface Generic<T> {

		@ExclusiveRequest(name = "order", key = "#id")
		T process(T id);

	}

	interface StringGeneric extends Generic<String> {

	}

	@Configuration(proxyBeanMethods = false)
	static class GuardedGenericTarget {

		@Bean
		StringGeneric outer() {
			ProxyFactory factory = new ProxyFactory(new OfGeneric());
			factory.addAdvice((MethodInterceptor) (invocation) -> invocation.proceed());
			return (StringGeneric) factory.getProxy();
		}

	}

	static class OfGeneric implements StringGeneric {

		@Override
		public String process(String id) {
			return id;
		}

	}

	/** Only one of the interfaces that declare the method is annotated. */
	@Configuration(proxyBeanMethods = false)
	static class PartlyAnnotatedInterfaces {

		@Bean
		Plain outer() {
			return proxyOf(new OfBoth());
		}

	}

	static class OfBoth implements Generic<String>, Plain {

		@Override
		public String process(String id) {
			return id;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ProxyOfBean {

		@Bean
		Annotated inner() {
			return new Annotated();
		}

		@Bean
		Plain outer(Annotated inner) {
			return proxyOf(inner);
		}

	}

	static class Unannotated implements Plain {

		@Override
		public String process(String id) {
			return id;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableRedisRepositories(considerNestedRepositories = true,
			excludeFilters = @Filter(type = FilterType.ASSIGNABLE_TYPE, classes = MisspeltRepository.class))
	static class Repositories {

		@Bean
		ArchiveImpl archiveImpl() {
			return new ArchiveImpl();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableRedisRepositories(considerNestedRepositories = true,
			excludeFilters = @Filter(type = FilterType.ASSIGNABLE_TYPE,
					classes = { OrderRepository.class, AnnotatedRepository.class }))
	static class MisspeltRepositories {

	}

	@RedisHash("order")
	record Order(@Id String id, @Indexed String state) {

		static Order of(String id) {
			return new Order(id, id);
		}

	}

	@NoRepositoryBean
	interface BaseRepository<T> extends CrudRepository<T, String> {

		@Override
		@ExclusiveRequest(name = "delete", key = "#entity.id")
		void delete(T entity);

	}

	interface OrderRepository extends BaseRepository<Order>, Archive {

		@Override
		@SuppressWarnings("unchecked")
		@ExclusiveRequest(name = "save", key = "#order.id")
		Order save(Order order);

		@ExclusiveRequest(name = "find", key = "#state")
		Optional<Order> findByState(String state);

		@ExclusiveRequest(name = "default", key = "#id")
		default void cancel(String id) {
			deleteById(id);
		}

	}

	interface Archive {

		@ExclusiveRequest(name = "fragment", key = "#id")
		String archive(String id);

	}

	static class ArchiveImpl implements Archive {

		@Override
		public String archive(String id) {
			return id;
		}

	}

	@ExclusiveRequest(name = "annotated", key = "#state")
	interface AnnotatedRepository extends CrudRepository<Order, String> {

		Optional<Order> findByState(String state);

	}

	interface MisspeltRepository extends CrudRepository<Order, String> {

		@Override
		@ExclusiveRequest(name = "save", key = "#oder.id")
		<S extends Order> S save(S order);

	}

}
