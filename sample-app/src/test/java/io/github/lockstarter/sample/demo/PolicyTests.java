package io.github.lockstarter.sample.demo;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.bind.annotation.PostMapping;

import io.github.lockstarter.annotation.ExclusiveRequest;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("once")
class PolicyTests {

	private static final Pattern ATTRIBUTE = Pattern.compile("(\\w+) = \"?([^\",)]+)");

	@ParameterizedTest
	@EnumSource
	@DisplayName("The page shows the annotation that the handler has")
	void annotation(Policy policy) {
		ExclusiveRequest annotation = annotated(policy).getAnnotation(ExclusiveRequest.class);
		assertThat(policy.annotation()).startsWith((annotation != null) ? "@ExclusiveRequest(" : "no annotation");
		Map<String, String> shown = ATTRIBUTE.matcher(policy.annotation())
			.results()
			.collect(Collectors.toMap((attribute) -> attribute.group(1), (attribute) -> attribute.group(2)));
		assertThat(shown).isEqualTo(attributes(annotation));
	}

	/** Returns the handler of the policy, or for SKIP the service that it calls. */
	private static Method annotated(Policy policy) {
		Class<?> type = (policy == Policy.SKIP) ? SkippedRegistration.class
				: policy.pays() ? PaymentController.class : DemoController.class;
		return Arrays.stream(ReflectionUtils.getDeclaredMethods(type))
			.filter((method) -> policy == Policy.SKIP || isAt(policy.path(), method.getAnnotation(PostMapping.class)))
			.filter((method) -> !method.isSynthetic())
			.findFirst()
			.orElseThrow();
	}

	private static boolean isAt(String path, @Nullable PostMapping mapping) {
		return mapping != null && mapping.value()[0].equals(path);
	}

	/** Returns the attributes that are not the default, without the alias of the key. */
	private static Map<String, String> attributes(@Nullable ExclusiveRequest annotation) {
		return (annotation == null) ? Map.of() : AnnotationUtils.getAnnotationAttributes(annotation)
			.entrySet()
			.stream()
			.filter((each) -> !each.getKey().equals("value"))
			.filter((each) -> !each.getValue().equals(AnnotationUtils.getDefaultValue(annotation, each.getKey())))
			.collect(Collectors.toMap(Map.Entry::getKey, (each) -> each.getValue().toString()));
	}

}
