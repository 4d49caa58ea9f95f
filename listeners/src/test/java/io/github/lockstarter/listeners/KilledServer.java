package io.github.lockstarter.listeners;

import java.util.Arrays;
import java.util.stream.Stream;

import org.aopalliance.intercept.MethodInterceptor;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.NameMatchMethodPointcutAdvisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;

/**
 * An instance that is killed during its first message.
 */
final class KilledServer {

	private KilledServer() {
	}

	/** The moment at which the instance is killed. */
	enum Moment {

		/** During the work. */
		IN_THE_WORK,

		/** After the method has returned, before the message is acknowledged. */
		BEFORE_THE_ACKNOWLEDGEMENT

	}

	/** Arguments: the application class, the moment, and properties. */
	public static void main(String... args) throws ClassNotFoundException {
		Moment moment = Moment.valueOf(args[1]);
		Ledger ledger = (payment) -> {
			System.out.println("begun " + payment.id());
			if (moment == Moment.IN_THE_WORK) {
				Runtime.getRuntime().halt(1);
			}
		};
		Server.run(Stream.of(Class.forName(args[0]), Death.class), ledger, Arrays.copyOfRange(args, 2, args.length));
	}

	@Configuration(proxyBeanMethods = false)
	static class Death {

		/** This advice is outside of the lock. */
		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Advisor death() {
			NameMatchMethodPointcutAdvisor advisor = new NameMatchMethodPointcutAdvisor((MethodInterceptor) (call) -> {
				call.proceed();
				Runtime.getRuntime().halt(1);
				return null;
			});
			advisor.setMappedName("pay");
			advisor.setOrder(Ordered.HIGHEST_PRECEDENCE);
			return advisor;
		}

	}

}
