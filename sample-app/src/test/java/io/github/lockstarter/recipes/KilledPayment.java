package io.github.lockstarter.recipes;

import org.aopalliance.intercept.MethodInterceptor;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.NameMatchMethodPointcutAdvisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;

/**
 * An instance that dies with its first payment, when the transaction has been committed
 * and the lock is still held.
 */
@Configuration(proxyBeanMethods = false)
@Import(PaymentController.class)
class KilledPayment {

	/** Takes the URL of the database. */
	public static void main(String... args) {
		RecipeServer server = PaymentRecipeTests.startInstance(KilledPayment.class, args[0]);
		System.out.println("port " + server.port());
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static Advisor death() {
		NameMatchMethodPointcutAdvisor advisor = new NameMatchMethodPointcutAdvisor((MethodInterceptor) (call) -> {
			call.proceed();
			Runtime.getRuntime().halt(1);
			return null;
		});
		advisor.setMappedName("pay");
		// Outside of the transaction, and inside of the lock.
		advisor.setOrder(Ordered.LOWEST_PRECEDENCE - 50);
		return advisor;
	}

}
