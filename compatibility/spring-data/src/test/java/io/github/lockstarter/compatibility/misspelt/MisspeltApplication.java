package io.github.lockstarter.compatibility.misspelt;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.boot.r2dbc.autoconfigure.R2dbcAutoConfiguration;
import org.springframework.context.annotation.Configuration;

import io.github.lockstarter.compatibility.jpa.Order;

/**
 * An application with a repository that no other bean uses.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration(exclude = R2dbcAutoConfiguration.class)
@EntityScan(basePackageClasses = Order.class)
public class MisspeltApplication {

}
