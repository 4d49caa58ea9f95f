package io.github.lockstarter.autoconfigure;

import java.util.Set;

import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the {@code locks} endpoint.
 *
 * @param showKeys When to show the keys of locks instead of their digests. Keys may be
 * personal data; a short key can be guessed from its digest.
 * @param roles Roles that see the keys if show-keys is 'when-authorized'. If empty, all
 * authenticated users see them.
 */
@ConfigurationProperties("management.endpoint.locks")
record LocksEndpointProperties(@DefaultValue("never") Show showKeys, @DefaultValue Set<String> roles) {

}
