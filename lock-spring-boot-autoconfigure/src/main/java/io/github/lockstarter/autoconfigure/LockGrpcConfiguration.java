package io.github.lockstarter.autoconfigure;

import io.grpc.BindableService;
import io.grpc.stub.StreamObserver;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.grpc.server.exception.GrpcExceptionHandler;

import io.github.lockstarter.operation.LockOperationSource;
import io.github.lockstarter.web.LockProblems;
import io.github.lockstarter.web.grpc.GrpcServiceCheck;
import io.github.lockstarter.web.grpc.LockStatusHandler;

/**
 * Configures locks in Spring gRPC: status codes, and the check of services. Handlers of
 * the application come before that of the library.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ BindableService.class, StreamObserver.class, GrpcExceptionHandler.class })
class LockGrpcConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockStatusHandler exclusiveRequestGrpcStatusHandler(LockProblems problems) {
		return new LockStatusHandler(problems);
	}

	@Bean
	static GrpcServiceCheck exclusiveRequestGrpcServiceCheck(ObjectProvider<LockOperationSource> operations) {
		return new GrpcServiceCheck((type) -> operations.getObject().of(type).values());
	}

}
