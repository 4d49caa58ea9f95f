package io.github.lockstarter.autoconfigure;

import java.util.Set;

import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the {@code locks} endpoint.
 *
 * @param showKeys When to show the keys of locks, which may be personal data, instead of
 * their digests.
 * @param roles Roles that see keys where it is 'when-authorized'. When empty, all
 * authenticated users do.
 */
@ConfigurationProperties("management.endpoint.locks")
record LocksEndpointProperties(@DefaultValue("never") Show showKeys, @DefaultValue Set<String> roles) {

}
