package io.github.lockstarter.operation;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Warns about annotated methods that an object calls on itself, which bypasses the proxy
 * and the lock. Such calls are not detected in static methods and inner classes, nor in a
 * method that uses another object of the same type, which may be the target of the call.
 */
final class SelfInvocationWarning extends ClassVisitor {

	private static final Log logger = LogFactory.getLog(SelfInvocationWarning.class);

	private final Class<?> type;

	/** The names of locks, by the signature of the method or of a bridge to it. */
	private final Map<String, List<String>> locks = new TreeMap<>();

	/**
	 * Methods that have been read. They override those of supertypes, which are read
	 * later.
	 */
	private final Set<String> overriding = new HashSet<>();

	private SelfInvocationWarning(Class<?> type, Map<Method, LockedMethod> methods) {
		super(Opcodes.ASM9);
		this.type = type;
		for (Method method : ReflectionUtils.getAllDeclaredMethods(type)) {
			LockedMethod locked = methods.get(AopUtils.getMostSpecificMethod(method, type));
			this.locks.compute(method.getName() + Type.getMethodDescriptor(method), (signature, any) -> (locked != null)
					? locked.operations().stream().map(LockOperation::name).toList() : null);
		}
	}

	/** Logs one warning for each method of the class that calls annotated ones. */
	static void warn(Class<?> type, Map<Method, LockedMethod> methods) {
		if (!methods.isEmpty()) {
			SelfInvocationWarning calls = new SelfInvocationWarning(type, methods);
			for (Class<?> each = type; each != null; each = each.getSuperclass()) {
				calls.read(each);
			}
			ClassUtils.getAllInterfacesForClassAsSet(type).forEach(calls::read);
		}
	}

	private void read(Class<?> type) {
		try (InputStream file = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
			if (file != null && !CoveredMethods.isFramework(type, this.type)) {
				new ClassReader(file).accept(this, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
			}
		}
		// The reader throws an AssertionError at an unknown instruction.
		catch (IOException | RuntimeException | AssertionError ex) {
			logger.debug("Cannot search for calls that bypass the proxy in " + type.getName(), ex);
		}
	}

	@Override
	public @Nullable MethodVisitor visitMethod(int access, String name, String descriptor, @Nullable String generic,
			String @Nullable [] exceptions) {
		boolean inherited = (access & Opcodes.ACC_PRIVATE) == 0 && !name.startsWith("<");
		boolean skipped = (access & (Opcodes.ACC_STATIC | Opcodes.ACC_BRIDGE)) != 0
				|| (inherited && !this.overriding.add(name + descriptor));
		return skipped ? null : new CallVisitor(name, descriptor);
	}

	private Class<?> load(Type type) {
		Type single = (type.getSort() == Type.ARRAY) ? type.getElementType() : type;
		return ClassUtils.resolveClassName(single.getClassName(), this.type.getClassLoader());
	}

	private static String name(String signature) {
		return signature.substring(0, signature.indexOf('('));
	}

	/** A method of the source code, or a lambda. */
	private final class CallVisitor extends MethodVisitor {

		/** The prefix of its signature: a lambda has only the name of its method. */
		private final String signature;

		/** The types of the objects that it uses, except for the object itself. */
		private final Set<Type> others = new HashSet<>();

		/** The methods that it calls, each with the class on which it is called. */
		private final Map<String, Class<?>> callees = new TreeMap<>();

		CallVisitor(String name, String descriptor) {
			super(Opcodes.ASM9);
			this.signature = (name + descriptor).replaceFirst("^lambda\\$(.+)\\$\\d+\\(.*", "$1(");
			this.others.addAll(List.of(Type.getArgumentTypes(descriptor)));
		}

		@Override
		public void visitTypeInsn(int opcode, String type) {
			this.others.add(Type.getObjectType(type));
		}

		@Override
		public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
			this.others.add(Type.getType(descriptor));
		}

		@Override
		public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
			call(owner, name + descriptor);
			this.others.add(Type.getReturnType(descriptor));
		}

		@Override
		public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
			for (Object argument : arguments) {
				// A method reference without a bound object is called on other objects.
				if (argument instanceof Handle handle && !descriptor.startsWith("()")) {
					call(handle.getOwner(), handle.getName() + handle.getDesc());
				}
			}
			this.others.add(Type.getReturnType(descriptor));
		}

		private void call(String owner, String signature) {
			Map<String, List<String>> locks = SelfInvocationWarning.this.locks;
			List<String> names = locks.get(signature);
			if (names != null && locks.entrySet()
				.stream()
				.noneMatch((each) -> each.getKey().startsWith(this.signature) && each.getValue().containsAll(names))) {
				this.callees.put(name(signature), load(Type.getObjectType(owner)));
			}
		}

		@Override
		public void visitEnd() {
			Class<?> type = SelfInvocationWarning.this.type;
			this.callees.values()
				.removeIf((owner) -> !owner.isAssignableFrom(type) || this.others.stream()
					.map(SelfInvocationWarning.this::load)
					.anyMatch(owner::isAssignableFrom));
			if (!this.callees.isEmpty()) {
				logger.warn(
						"%s.%s calls %s on the same object: this bypasses the proxy, so that @ExclusiveRequest has no effect on the call. Move the called method to another bean, or inject the bean into itself (@Lazy) and call the method on the injected bean."
							.formatted(type.getName(), name(this.signature), String.join(", ", this.callees.keySet())));
			}
		}

	}

}
