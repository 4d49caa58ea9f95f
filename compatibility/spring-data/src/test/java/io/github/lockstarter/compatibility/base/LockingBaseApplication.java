package io.github.lockstarter.compatibility.base;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.boot.r2dbc.autoconfigure.R2dbcAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;

import io.github.lockstarter.compatibility.jpa.Order;

/**
 * An application with a base class for its repositories.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration(exclude = R2dbcAutoConfiguration.class)
@EnableJpaRepositories(repositoryBaseClass = LockingBase.class)
@EntityScan(basePackageClasses = Order.class)
public class LockingBaseApplication {

}
