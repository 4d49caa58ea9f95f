package io.github.lockstarter.autoconfigure;

import java.util.Objects;
import java.util.stream.Stream;

import graphql.GraphQL;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.graphql.execution.GraphQlSource;
import org.springframework.stereotype.Controller;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

import io.github.lockstarter.interceptor.ReactiveRequestSupport;
import io.github.lockstarter.interceptor.RequestSupport;
import io.github.lockstarter.operation.LockOperationSource;
import io.github.lockstarter.operation.LockOperationValidator;
import io.github.lockstarter.operation.ConflictStatuses;
import io.github.lockstarter.web.LockProblems;
import io.github.lockstarter.web.graphql.ControllerCheck;
import io.github.lockstarter.web.graphql.GraphQlRequestInterceptor;
import io.github.lockstarter.web.graphql.GraphQlRequestSupport;
import io.github.lockstarter.web.graphql.LeaseParameterResolver;
import io.github.lockstarter.web.graphql.LockErrorResolver;

/**
 * Configures locks in Spring for GraphQL: errors, {@link io.github.lockstarter.Lease}
 * parameters, and the request on every thread. Resolvers of the application come before
 * that of the library.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ GraphQL.class, GraphQlSource.class, Mono.class })
class LockGraphQlConfiguration {

	/** Replaces that of the web framework, which it asks first. */
	@Bean
	@Primary
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GraphQlRequestSupport exclusiveRequestGraphQlRequestSupport(ObjectProvider<RequestSupport> supports) {
		return new GraphQlRequestSupport(SingletonSupplier.of(() -> supports.stream()
			.filter((support) -> !(support instanceof GraphQlRequestSupport))
			.findFirst()
			.orElse(RequestSupport.NONE)));
	}

	@Bean
	GraphQlRequestInterceptor exclusiveRequestGraphQlRequestInterceptor(GraphQlRequestSupport requests,
			ObjectProvider<ReactiveRequestSupport> reactiveRequests) {
		return new GraphQlRequestInterceptor(requests, reactiveRequests::getIfAvailable);
	}

	@Bean
	LeaseParameterResolver exclusiveRequestGraphQlLeaseParameterResolver(
			ObjectProvider<LockOperationSource> operations) {
		return new LeaseParameterResolver((method, type) -> operations.getObject().find(method, type) != null);
	}

	/** Controllers are not created for it. */
	@Bean
	static SmartInitializingSingleton exclusiveRequestGraphQlControllerCheck(ListableBeanFactory beans,
			LockOperationValidator validator) {
		ControllerCheck check = new ControllerCheck(validator::checkLeaseParameter);
		return () -> Stream.of(beans.getBeanNamesForType(Object.class, true, false))
			.map((name) -> beans.getType(name, false))
			.filter(Objects::nonNull)
			.filter((type) -> AnnotatedElementUtils.hasAnnotation(type, Controller.class))
			.forEach((type) -> check.check(ClassUtils.getUserClass(type)));
	}

	@Bean
	@ConditionalOnMissingBean
	LockErrorResolver exclusiveRequestGraphQlErrorResolver(LockProblems problems, ConflictStatuses statuses) {
		return new LockErrorResolver(problems, statuses);
	}

}
