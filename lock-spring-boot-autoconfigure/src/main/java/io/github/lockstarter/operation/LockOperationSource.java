package io.github.lockstarter.operation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.RequestMapping;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.key.ArgumentFingerprint;
import io.github.lockstarter.key.FingerprintParts;
import io.github.lockstarter.key.RequestFingerprint;
import io.github.lockstarter.key.LockKeyResolver;
import io.github.lockstarter.key.LockKeys;
import io.github.lockstarter.key.MethodExpression;
import io.github.lockstarter.result.KeptAnswers;
import io.github.lockstarter.result.Replay;
import io.github.lockstarter.result.ResultSharing;
import io.github.lockstarter.result.SharingSettings;

/**
 * Provides the operations of all annotated methods. The methods of a class are read and
 * validated at the first request for the class, which is at start-up.
 */
public final class LockOperationSource {

	private static final List<String> CONTAINER = List.of("org.springframework.beans.", "org.springframework.context.",
			"org.springframework.boot.");

	private static final List<String> FRAMEWORKS = List.of("java.", "javax.", "jakarta.", "org.springframework.");

	private final AnnotatedTypes annotatedTypes = new AnnotatedTypes();

	private final Map<Class<?>, LockedMethods> methods = new ConcurrentHashMap<>();

	private volatile boolean keepsResponses;

	private final SingletonSupplier<OperationSettings> settings;

	private final Function<String, Supplier<LockKeyResolver>> resolvers;

	private final Supplier<SharingSettings> sharing;

	private final UnaryOperator<String> placeholders;

	/**
	 * Creates a source.
	 * @param settings the settings of the operator
	 * @param resolvers finds beans by name; throws an {@link IllegalArgumentException} if
	 * there is none with the name
	 * @param sharing creates the sharing of results
	 * @param placeholders resolves placeholders in attributes of the annotation
	 */
	public LockOperationSource(Supplier<OperationSettings> settings,
			Function<String, Supplier<LockKeyResolver>> resolvers, Supplier<SharingSettings> sharing,
			UnaryOperator<String> placeholders) {
		this.settings = SingletonSupplier.of(settings);
		this.resolvers = resolvers;
		this.sharing = sharing;
		this.placeholders = placeholders;
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
				SelfInvocations.warn(type, known.annotated());
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
				return lockedMethod(own, method, type);
			}
			return (!ofClass.isEmpty() && isCoveredByClass(method, type)
					&& !LockOperationValidator.isOfOtherPackage(method, type)) ? lockedMethod(ofClass, method, type)
							: null;
		});
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
	 * Returns whether a class-level annotation covers the method. It covers methods of
	 * the application, except for implementations of callbacks of a framework, which lack
	 * the parameters that a key reads. Methods of a controller that are not handlers are
	 * excluded for the same reason.
	 */
	private static boolean isCoveredByClass(Method method, Class<?> type) {
		return (method.getModifiers() & (Modifier.PRIVATE | Modifier.STATIC)) == 0
				&& !ReflectionUtils.isObjectMethod(method) && !isFramework(method.getDeclaringClass(), type)
				&& !isCallback(method, type) && !isPartOfHandling(method);
	}

	/**
	 * Returns whether Spring MVC or Spring WebFlux calls the method before or after a
	 * handler.
	 */
	private static boolean isPartOfHandling(Method method) {
		return Stream.of(ExceptionHandler.class, InitBinder.class, ModelAttribute.class)
			.anyMatch((annotation) -> AnnotatedElementUtils.hasAnnotation(method, annotation))
				&& !AnnotatedElementUtils.hasAnnotation(method, RequestMapping.class);
	}

	private static boolean isCallback(Method method, Class<?> type) {
		Method written = AopUtils.getMostSpecificMethod(method, type);
		return Arrays.stream(ClassUtils.getAllInterfacesForClass(type))
			.filter((each) -> isFramework(each, type))
			.flatMap((each) -> Arrays.stream(each.getMethods()))
			.filter((callback) -> AopUtils.getMostSpecificMethod(callback, type).equals(written))
			.anyMatch((callback) -> isOfContainer(callback)
					|| Arrays.equals(callback.getParameterTypes(), written.getParameterTypes()));
	}

	/**
	 * Returns whether only the container calls the method. Methods whose parameter type
	 * the application chooses, as in a {@code Consumer<Order>}, are called by the
	 * application.
	 */
	private static boolean isOfContainer(Method callback) {
		return CONTAINER.stream().anyMatch(callback.getDeclaringClass().getName()::startsWith);
	}

	/**
	 * Returns whether a supertype of a bean class belongs to Java or to Spring. An
	 * application may have classes below {@code org.springframework}, too, like the
	 * samples of Spring: classes with the same next part of the package name belong to
	 * the application.
	 */
	static boolean isFramework(Class<?> type, Class<?> beanType) {
		return FRAMEWORKS.stream()
			.anyMatch((prefix) -> type.getName().startsWith(prefix)
					&& !project(type, prefix).equals(project(beanType, prefix)));
	}

	private static String project(Class<?> type, String prefix) {
		String name = type.getName();
		int end = name.indexOf('.', prefix.length());
		return name.startsWith(prefix) ? name.substring(0, (end != -1) ? end : name.length()) : "";
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
	 * Returns whether any method found so far may keep the answers to requests. It is
	 * called for each request.
	 */
	public boolean keepsResponses() {
		return this.keepsResponses;
	}

	/** Returns the sharing of results of all methods found so far. */
	Stream<Sharing> sharing() {
		return operations().map(LockOperation::sharing).filter(Objects::nonNull);
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

	private LockedMethod lockedMethod(List<ExclusiveRequest> annotations, Method method, Class<?> type) {
		LockedMethod locked = LockedMethod.of(method, type);
		LockOperationValidator.check(locked);
		return locked.with(
				annotations.stream().map((annotation) -> operation(annotation, locked, annotations)).toList(),
				this.settings.obtain().replay().maxKeyLength());
	}

	private LockOperation operation(ExclusiveRequest annotation, LockedMethod locked, List<ExclusiveRequest> all) {
		Method method = locked.method();
		try {
			String given = resolve(annotation.name());
			String name = new LockKey((given != null) ? given : defaultName(method, locked.type()), "").name();
			LockSettings own = new LockSettings(duration("ttl", annotation.ttl()),
					duration("waitTime", annotation.waitTime()), null, null,
					duration("holdAtLeast", annotation.holdAtLeast()),
					(annotation.status() != 0) ? annotation.status() : null, null, null);
			LockSettings said = this.settings.obtain().named().apply(name).or(own);
			LockSettings settings = said.or(this.settings.obtain().defaults());
			LockOptions options = settings.options();
			if (said.waitTime() == null) {
				options = options.withWaitTime(waitTime(annotation.onConflict(), options));
			}
			Sharing sharing = settings.isEnabled() ? sharing(annotation, name, locked, all) : null;
			Assert.isTrue(sharing == null || options.holdAtLeast().isZero(),
					"holdAtLeast has no effect with SHARE or replay, which already prevent later callers from running");
			boolean replays = sharing != null && sharing.results().replays();
			Assert.isTrue(!replays || settings.storeFailure() == OnStoreFailure.REJECT,
					"A method that replays results must not run without the lock: set lock.names.%s.on-store-failure=reject"
						.formatted(name));
			if (annotation.onConflict() == OnConflict.SKIP) {
				LockOperationValidator.checkSkipped(locked);
			}
			return new LockOperation(name, settings.isEnabled(), keys(annotation, name, method),
					expression("condition", annotation.condition(), method), options, annotation.onConflict(),
					settings.refusal(), settings.storeFailure(), sharing);
		}
		catch (IllegalArgumentException ex) {
			throw new LockConfigurationException(
					"@ExclusiveRequest on %s: %s.".formatted(method.toGenericString(), ex.getMessage()),
					"Correct the annotation, or the properties lock.* and lock.names.* for the lock.");
		}
	}

	/**
	 * Returns the wait time, with the default of the conflict policy if none is
	 * configured. It is zero for a call that may be skipped, which must not run after the
	 * other call.
	 */
	private static Duration waitTime(OnConflict onConflict, LockOptions options) {
		return switch (onConflict) {
			case REJECT -> options.waitTime();
			case SKIP -> Duration.ZERO;
			case WAIT, SHARE ->
				options.waitTime().isZero() ? LockSettings.defaultWait(options.ttl()) : options.waitTime();
		};
	}

	private LockKeys keys(ExclusiveRequest annotation, String name, Method method) {
		String resolver = resolve(annotation.keyResolver());
		long given = Stream.of(annotation.key(), annotation.keys(), annotation.keyResolver())
			.filter(StringUtils::hasLength)
			.count();
		Assert.isTrue(given <= 1, "Only one of key, keys and keyResolver can be set");
		if (resolver != null) {
			return LockKeys.of(name, SingletonSupplier.of(this.resolvers.apply(resolver)));
		}
		MethodExpression each = expression("keys", annotation.keys(), method);
		if (each != null) {
			LockKeys.checkElements(each.declaredType(method));
			return LockKeys.ofEach(name, each, this.settings.obtain().maxKeys());
		}
		MethodExpression key = expression("key", annotation.key(), method);
		return (key != null) ? LockKeys.of(name, key) : LockKeys.ofMethod(name);
	}

	private @Nullable Sharing sharing(ExclusiveRequest annotation, String name, LockedMethod locked,
			List<ExclusiveRequest> all) {
		Replay replay = replay(annotation, locked);
		if (replay == null && annotation.onConflict() != OnConflict.SHARE) {
			return null;
		}
		Assert.isTrue(all.size() == 1, "A method whose results are shared or replayed can have only one lock");
		Assert.isTrue(!StringUtils.hasLength(annotation.keys()),
				"keys mean several locks, but a method whose results are shared or replayed can have only one lock");
		Assert.isTrue(
				replay == null || StringUtils.hasLength(annotation.key())
						|| StringUtils.hasLength(annotation.keyResolver()),
				"A replay needs a key or a keyResolver, as in key = \"header('Idempotency-Key')\"");
		ResultSharing results = this.sharing.get().of(name, locked.method(), ResultTypes.of(locked), replay);
		if (results.sharesResponses()) {
			this.keepsResponses = true;
		}
		FingerprintParts parts = fingerprint(annotation, replay != null && locked.isMapped());
		return new Sharing(results, (replay != null) ? scope(name, locked, parts) : null);
	}

	/** A handler may have arguments that cannot be compared, but its requests can be. */
	private ReplayScope scope(String name, LockedMethod locked, FingerprintParts parts) {
		if (locked.isMapped()) {
			return new ReplayScope(name, () -> this.settings.obtain().replay(), new RequestFingerprint(parts),
					SingletonSupplier.of(() -> new ArgumentFingerprint(locked.method(), locked.type())));
		}
		ArgumentFingerprint arguments = new ArgumentFingerprint(locked.method(), locked.type());
		return new ReplayScope(name, () -> this.settings.obtain().replay(), null, () -> arguments);
	}

	private FingerprintParts fingerprint(ExclusiveRequest annotation, boolean replaysResponses) {
		List<String> parts = Stream.of(annotation.fingerprint()).map(this.placeholders).toList();
		Assert.isTrue(parts.isEmpty() || replaysResponses,
				"fingerprint has an effect only with replay, and on a method that is mapped to requests");
		return FingerprintParts.parse(parts);
	}

	/**
	 * Returns the replay. Only a request has an answer, so methods other than handlers
	 * keep their values.
	 */
	private @Nullable Replay replay(ExclusiveRequest annotation, LockedMethod locked) {
		Duration time = duration("replay", annotation.replay());
		String keep = resolve(annotation.keep());
		Assert.isTrue(time != null || keep == null, "keep has an effect only with replay, as in replay = \"24h\"");
		if (time == null) {
			return null;
		}
		KeptAnswers own = (keep != null) ? KeptAnswers.parse(keep) : null;
		Assert.isTrue(own == null || own.values() || locked.ofController(),
				() -> "keep = \"%s\" selects answers to requests, but the class is not a controller".formatted(keep));
		KeptAnswers standard = locked.ofController() ? this.settings.obtain().replay().keep() : KeptAnswers.VALUES;
		return new Replay(time, (own != null) ? own : standard);
	}

	private @Nullable Duration duration(String attribute, String text) {
		String resolved = resolve(text);
		if (resolved == null) {
			return null;
		}
		// Without a unit, the parser would assume milliseconds.
		Assert.isTrue(!resolved.matches("[+-]?0*[1-9]\\d*"),
				() -> "%s '%s' has no unit: write %ss or %sms".formatted(attribute, resolved, resolved, resolved));
		try {
			return DurationStyle.detectAndParse(resolved);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					"%s '%s' is not a valid duration, such as 500ms or 5s".formatted(attribute, resolved), ex);
		}
	}

	private @Nullable MethodExpression expression(String attribute, String text, Method method) {
		return StringUtils.hasLength(text) ? MethodExpression.parse(text, attribute, method) : null;
	}

	private @Nullable String resolve(String text) {
		return StringUtils.hasText(text) ? this.placeholders.apply(text) : null;
	}

	private static String defaultName(Method method, Class<?> type) {
		return Arrays.stream(method.getParameterTypes())
			.map(Class::getTypeName)
			.collect(Collectors.joining(",", type.getName() + "." + method.getName() + "(", ")"));
	}

}
