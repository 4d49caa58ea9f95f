package io.github.lockstarter.autoconfigure

import io.github.lockstarter.LockCounts
import io.github.lockstarter.LockCounts.Event
import io.github.lockstarter.LockRegistry
import io.github.lockstarter.annotation.ExclusiveRequest
import io.github.lockstarter.annotation.OnConflict
import kotlinx.coroutines.delay
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.context.annotation.Configuration
import org.springframework.scheduling.annotation.EnableScheduling
import org.springframework.scheduling.annotation.Scheduled
import java.time.Duration
import java.util.concurrent.atomic.AtomicInteger

class SuspendingJobsTests {

	private val runner = ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration::class.java, LockAutoConfiguration::class.java))
		.withUserConfiguration(Scheduling::class.java)
		.withBean(Job::class.java)
		.withPropertyValues("lock.store=memory")

	@Test
	@DisplayName("A suspending job holds its lock until its work ends at each tick, and is skipped while another holder has the lock")
	fun excludes() {
		runner.run { context ->
			val job = context.getBean(Job::class.java)
			val counts = context.getBean(LockCounts::class.java)
			await().until { job.runs.get() > 2 }
			assertThat(job.atOnce).hasValue(1)
			assertThat(counts.get("job", Event.SKIPPED)).isPositive()
			val other = context.getBean(LockRegistry::class.java).tryAcquire("job", Duration.ofMinutes(1)).orElseThrow()
			val before = job.runs.get()
			val skipped = counts.get("job", Event.SKIPPED)
			await().until { counts.get("job", Event.SKIPPED) > skipped + 2 }
			assertThat(job.runs).hasValue(before)
			other.close()
			await().until { job.runs.get() > before }
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	open class Scheduling

	open class Job {

		open val runs = AtomicInteger()

		open val atOnce = AtomicInteger()

		private val working = AtomicInteger()

		@Scheduled(fixedRate = 50)
		@ExclusiveRequest(name = "job", onConflict = OnConflict.SKIP)
		open suspend fun run() {
			atOnce.accumulateAndGet(working.incrementAndGet(), Math::max)
			delay(200)
			working.decrementAndGet()
			runs.incrementAndGet()
		}

	}

}
