package io.github.lockstarter.interceptor;

import java.util.stream.IntStream;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;

/**
 * Moves the advisor to the position of its order, also among advice that other
 * post-processors have added in front of it. The post-processors of {@code @Retryable}
 * and {@code @ConcurrencyLimit} ignore the order of other advice. Without this class,
 * each retry would compete for the lock again, and a rejection would be retried.
 */
public final class LockPlacement implements BeanPostProcessor {

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof Advised advised && !advised.isFrozen()) {
			place(advised);
		}
		return bean;
	}

	private static void place(Advised advised) {
		Advisor[] advisors = advised.getAdvisors();
		for (int i = 0; i < advisors.length; i++) {
			if (advisors[i] instanceof ExclusiveRequestAdvisor lock) {
				int place = IntStream.range(0, i)
					.filter((each) -> AnnotationAwareOrderComparator.INSTANCE.compare(advisors[each], lock) > 0)
					.findFirst()
					.orElse(i);
				if (place < i) {
					advised.removeAdvisor(i);
					advised.addAdvisor(place, lock);
				}
				return;
			}
		}
	}

}
