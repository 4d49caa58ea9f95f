package io.github.lockstarter.sample.demo;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import jakarta.servlet.http.HttpServletRequest;

import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.ModelAndView;

import io.github.lockstarter.LockRegistry;

/**
 * The page: a form that sends the requests, and their timeline.
 */
@Controller
class PageController {

	private final Instances instances;

	private final Runs runs;

	private final Executions executions;

	private final Duration ttl;

	PageController(Instances instances, Runs runs, Executions executions, LockRegistry locks) {
		this.instances = instances;
		this.runs = runs;
		this.executions = executions;
		this.ttl = locks.options("demo").ttl();
	}

	@GetMapping("/")
	ModelAndView page() {
		List<Instance> running = this.instances.running();
		return page(HttpStatus.OK, FireForm.initial(), running, Map.of(), example(running));
	}

	@GetMapping("/runs")
	String home() {
		return "redirect:/";
	}

	@PostMapping("/runs")
	ModelAndView fire(@RequestParam(defaultValue = "") String policy, @RequestParam(defaultValue = "") String requests,
			@RequestParam(defaultValue = "") String slow) {
		FireForm form = new FireForm(policy, requests, "true".equals(slow));
		Map<String, String> problems = form.problems();
		List<Instance> running = this.instances.running();
		if (!problems.isEmpty()) {
			return page(HttpStatus.UNPROCESSABLE_CONTENT, form, running, problems, example(running));
		}
		return fired(this.runs.fire(form.chosenPolicy().orElseThrow(), form.number(), form.slow(), running), form,
				running);
	}

	@PostMapping(path = "/runs", params = "kill")
	ModelAndView kill(@RequestParam String kill, HttpServletRequest request) {
		List<Instance> running = this.instances.running();
		if (!ThisMachine.sent(request)) {
			return page(HttpStatus.FORBIDDEN, FireForm.initial(), running, Map.of("form",
					"An instance is killed only by this page, opened at localhost on the machine of the instance."),
					example(running));
		}
		boolean payment = "payment".equals(kill);
		if (payment && !offersPayment()) {
			return page(HttpStatus.UNPROCESSABLE_CONTENT, FireForm.initial(), running, Map.of("form",
					"A payment compares locks in Redis with locks in the database: start all instances with --lock.store=redis."),
					example(running));
		}
		Optional<Instance> instance = killable(running);
		if (instance.isEmpty()) {
			return page(HttpStatus.UNPROCESSABLE_CONTENT, FireForm.initial(), running, Map
				.of("form",
						offersKill() ? "No instance that may be killed, with its locks in the same store, is running."
								: "Each instance has locks of its own, so none can take over a lock."),
					example(running));
		}
		Optional<Run> run = payment ? this.runs.payAndKill(instance.get(), running)
				: this.runs.fireAndKill(instance.get(), running);
		return fired(run, FireForm.initial(), running);
	}

	@GetMapping("/runs/{id}")
	ModelAndView run(@PathVariable String id) {
		return this.runs.find(id).map((run) -> page(run, timeline(run))).orElseGet(PageController::notFound);
	}

	/**
	 * The part of the page that changes during a run, and the whole page at its end or
	 * when an instance was killed.
	 */
	@GetMapping("/runs/{id}/timeline")
	ModelAndView timeline(@PathVariable String id) {
		return this.runs.find(id).map((run) -> {
			Timeline timeline = timeline(run);
			return (timeline.over() || run.hasKilled()) ? page(run, timeline)
					: new ModelAndView("timeline :: timeline", "timeline", timeline);
		}).orElseGet(PageController::notFound);
	}

	/**
	 * Shows one user with a lock, so it has one instance if each has locks of its own.
	 */
	private Timeline example(List<Instance> running) {
		return Example.timeline(StoreChoice.MEMORY.is(store()) ? running.subList(0, 1) : running);
	}

	private Timeline timeline(Run run) {
		return Timeline.of(run, this.executions, this.ttl);
	}

	/**
	 * The address names the result, so that the browser brings it into view and focuses
	 * it.
	 */
	private ModelAndView fired(Optional<Run> run, FireForm form, List<Instance> running) {
		return run.map((fired) -> new ModelAndView("redirect:/runs/" + fired.id() + "#run", HttpStatus.SEE_OTHER))
			.orElseGet(() -> page(HttpStatus.TOO_MANY_REQUESTS, form, running,
					Map.of("form", Runs.MAX_AT_ONCE + " runs are under way. Fire when one has ended."),
					example(running)));
	}

	/** Instances with locks of their own do not take over a lock. */
	private boolean offersKill() {
		return !StoreChoice.MEMORY.is(store());
	}

	/** Its two sides differ only if locks are in Redis unless configured. */
	private boolean offersPayment() {
		return StoreChoice.REDIS.is(store());
	}

	private String store() {
		return this.instances.own().store();
	}

	private Optional<Instance> killable(List<Instance> running) {
		return offersKill() ? this.instances.killable(running) : Optional.empty();
	}

	private ModelAndView page(Run run, Timeline timeline) {
		return page(HttpStatus.OK, FireForm.like(run), this.instances.running(), Map.of(), timeline);
	}

	private ModelAndView page(HttpStatusCode status, FireForm form, List<Instance> running,
			Map<String, String> problems, Timeline timeline) {
		Map<String, Object> model = new HashMap<>();
		model.put("form", form);
		model.put("problems", problems);
		model.put("policies", Policy.offered());
		model.put("maxRequests", FireForm.MAX_REQUESTS);
		model.put("instances", Run.byLetter(running));
		model.put("nextPort", Instances.nextPort(running));
		model.put("offersKill", offersKill());
		model.put("offersPayment", offersPayment());
		model.put("killable", killable(running).map(running::indexOf).map(Run::letter).orElse(""));
		model.put("timeline", timeline);
		model.put("runs", this.runs.latest());
		model.put("storeChoices", StoreChoice.values());
		model.put("store", store());
		return new ModelAndView("page", model, status);
	}

	private static ModelAndView notFound() {
		return new ModelAndView("error/4xx", Map.of("status", 404), HttpStatus.NOT_FOUND);
	}

}
