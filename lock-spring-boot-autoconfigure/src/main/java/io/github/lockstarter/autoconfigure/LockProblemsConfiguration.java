package io.github.lockstarter.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.MessageSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.lockstarter.web.LockProblems;

/**
 * The wording of the HTTP answers.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication
class LockProblemsConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockProblems lockProblems(MessageSource messages) {
		return new LockProblems(messages);
	}

}
