package io.github.lockstarter.key;

import java.security.Principal;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.util.ClassUtils;

/**
 * The principal that Spring Security knows, for a call that has no request, or whose
 * request has no principal. There is none if Spring Security is absent.
 */
public final class SecurityPrincipal {

	private static final boolean PRESENT = ClassUtils.isPresent(
			"org.springframework.security.core.context.SecurityContextHolder",
			SecurityPrincipal.class.getClassLoader());

	/** What to write instead of a property that a principal lacks. */
	static final String ADVICE = "Write principal.name. With Spring Security, principal is the Authentication, and"
			+ " principal.principal is what identifies the user in it, such as the UserDetails.";

	private SecurityPrincipal() {
	}

	/** Returns whether principals are authentications of Spring Security. */
	static boolean isPresent() {
		return PRESENT;
	}

	/** Returns the principal of this thread. */
	public static @Nullable Principal ofThread() {
		return PRESENT ? ThreadContext.ofThread() : null;
	}

	/** Emits the principal in the context of the subscriber. */
	public static Mono<Principal> ofSubscriber() {
		return PRESENT ? ReactiveContexts.ofSubscriber() : Mono.empty();
	}

	/**
	 * Returns the principal; {@code null} if it stands for everybody who has not
	 * authenticated.
	 */
	public static @Nullable Principal unlessAnonymous(@Nullable Principal principal) {
		return (PRESENT && ThreadContext.isAnonymous(principal)) ? null : principal;
	}

	/** A class of its own, because Spring Security is optional. */
	private static final class ThreadContext {

		static @Nullable Principal ofThread() {
			return SecurityContextHolder.getContext().getAuthentication();
		}

		static boolean isAnonymous(@Nullable Principal principal) {
			return principal instanceof AnonymousAuthenticationToken;
		}

	}

	/** A class of its own, because Reactor is optional, too. */
	private static final class ReactiveContexts {

		static Mono<Principal> ofSubscriber() {
			return ReactiveSecurityContextHolder.getContext().mapNotNull(SecurityContext::getAuthentication);
		}

	}

}
