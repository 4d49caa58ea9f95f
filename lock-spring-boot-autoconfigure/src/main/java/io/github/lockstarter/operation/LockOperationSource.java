package io.github.lockstarter.operation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

import io.github.lockstarter.annotation.ExclusiveRequest;

/**
 * Provides the operations of all annotated methods. The methods of a class are read and
 * validated when the class is looked up first, which is at startup.
 */
public final class LockOperationSource {

	private final AnnotatedTypes annotatedTypes = new AnnotatedTypes();

	private final Map<Class<?>, LockedMethods> methods = new ConcurrentHashMap<>();

	private volatile boolean keepsResponses;

	private final ExclusiveRequestParser parser;

	/**
	 * Creates a source.
	 * @param environment what the annotations refer to
	 */
	public LockOperationSource(OperationEnvironment environment) {
		this.parser = new ExclusiveRequestParser(environment);
	}

	/**
	 * Returns the annotated method that is invoked by a call of the method on an object
	 * of the class; {@code null} if it is not annotated.
	 */
	public @Nullable LockedMethod find(Method method, Class<?> type) {
		LockedMethods ofType = methods(type);
		return (ofType != null) ? ofType.find(method) : null;
	}

	/** Returns the annotated methods of a class, as they are on the class itself. */
	public Map<Method, LockedMethod> of(Class<?> type) {
		LockedMethods ofType = methods(type);
		return (ofType != null) ? ofType.annotated() : Map.of();
	}

	private @Nullable LockedMethods methods(Class<?> type) {
		LockedMethods known = this.methods.get(type);
		if (known == null && this.annotatedTypes.isAnnotated(type)) {
			// Not computeIfAbsent: the introspection may create beans, which calls this
			// method again.
			known = isProxy(type) ? new LockedMethods(type, ofProxy(type)) : new LockedMethods(type, introspect(type));
			if (this.methods.put(type, known) == null && !isProxy(type)) {
				SelfInvocationWarning.warn(type, known.annotated());
			}
		}
		return known;
	}

	/** Returns whether the class was made at run time, as those of lambdas are, too. */
	private static boolean isProxy(Class<?> type) {
		return Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type) || ClassUtils.getUserClass(type) != type;
	}

	/**
	 * Returns the annotated methods of the class that a proxy extends, and of the
	 * interfaces that it implements: it may have more of them than its target. The class
	 * of a proxy has another name in each instance of the application, and that of a
	 * lambda has no names of parameters either.
	 */
	private Map<Method, LockedMethod> ofProxy(Class<?> proxy) {
		Map<Method, LockedMethod> methods = new LinkedHashMap<>(of(proxy.getSuperclass()));
		Stream.of(proxy.getInterfaces())
			.filter((each) -> !each.isAssignableFrom(proxy.getSuperclass()))
			.map(this::of)
			.forEach((each) -> each.forEach(methods::putIfAbsent));
		return methods;
	}

	private Map<Method, LockedMethod> introspect(Class<?> type) {
		List<ExclusiveRequest> ofClass = annotations(type);
		return MethodIntrospector.selectMethods(type, (Method method) -> {
			List<ExclusiveRequest> own = annotations(method);
			if (!own.isEmpty()) {
				return parse(own, method, type);
			}
			return (!ofClass.isEmpty() && CoveredMethods.covers(method, type)
					&& !LockOperationValidator.isOfOtherPackage(method, type)) ? parse(ofClass, method, type) : null;
		});
	}

	private LockedMethod parse(List<ExclusiveRequest> annotations, Method method, Class<?> type) {
		LockedMethod locked = this.parser.parse(annotations, method, type);
		if (sharing(locked.operations().stream()).anyMatch((sharing) -> sharing.results().sharesResponses())) {
			this.keepsResponses = true;
		}
		return locked;
	}

	/**
	 * Returns the annotations of the element itself, or of the nearest one that it
	 * overrides.
	 */
	private static List<ExclusiveRequest> annotations(AnnotatedElement element) {
		List<MergedAnnotation<ExclusiveRequest>> all = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY)
			.stream(ExclusiveRequest.class)
			.toList();
		int nearest = all.stream().mapToInt(MergedAnnotation::getAggregateIndex).min().orElse(0);
		return all.stream()
			.filter((annotation) -> annotation.getAggregateIndex() == nearest)
			.map(MergedAnnotation::synthesize)
			.toList();
	}

	/**
	 * Returns the names of the locks of all annotated methods found so far: those of all
	 * beans that have been created.
	 */
	public Set<String> lockNames() {
		return operations().map(LockOperation::name).collect(Collectors.toSet());
	}

	/**
	 * Returns the names of the locks of all methods found so far that share or replay
	 * their results.
	 */
	public Set<String> sharedLockNames() {
		return operations().filter(LockOperation::sharesResults).map(LockOperation::name).collect(Collectors.toSet());
	}

	/**
	 * Returns whether any method found so far may keep the responses to requests. It is
	 * called for each request.
	 */
	public boolean keepsResponses() {
		return this.keepsResponses;
	}

	/** Returns the sharing of results of all methods found so far. */
	Stream<Sharing> sharing() {
		return sharing(operations());
	}

	private static Stream<Sharing> sharing(Stream<LockOperation> operations) {
		return operations.map(LockOperation::sharing).filter(Objects::nonNull);
	}

	/**
	 * Returns whether any method found so far returns a reactive type, or suspends.
	 */
	public boolean hasReactive() {
		return reactive().findAny().isPresent();
	}

	/** Returns the names of the locks of those of these methods that replay results. */
	public Set<String> replayedReactiveLockNames() {
		return reactive().filter(LockedMethod::replays)
			.flatMap((method) -> method.operations().stream())
			.map(LockOperation::name)
			.collect(Collectors.toSet());
	}

	private Stream<LockedMethod> reactive() {
		return methods()
			.filter((method) -> method.returnType().isSuspending() || method.returnType().hasReactiveValue());
	}

	/** Returns the operations of all methods found so far. */
	public Stream<LockOperation> operations() {
		return methods().flatMap((method) -> method.operations().stream());
	}

	private Stream<LockedMethod> methods() {
		return this.methods.values().stream().flatMap((ofType) -> ofType.annotated().values().stream()).distinct();
	}

}
