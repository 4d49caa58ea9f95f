package io.github.lockstarter.sample.demo;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.ModelAndView;

/**
 * The page: a form that sends the requests, and their timeline.
 */
@Controller
class PageController {

	private final Instances instances;

	private final Runs runs;

	private final Executions executions;

	private final String store;

	PageController(Instances instances, Runs runs, Executions executions, @Value("${lock.store:redis}") String store) {
		this.instances = instances;
		this.runs = runs;
		this.executions = executions;
		this.store = store;
	}

	@GetMapping("/")
	ModelAndView page() {
		List<Instance> running = this.instances.running();
		return page(HttpStatus.OK, FireForm.initial(running), running, Map.of());
	}

	@PostMapping("/runs")
	ModelAndView fire(@RequestParam(defaultValue = "") String policy, @RequestParam(defaultValue = "") String requests,
			@RequestParam(defaultValue = "") List<String> servers) {
		FireForm form = new FireForm(policy, requests, servers);
		List<Instance> running = this.instances.running();
		Map<String, String> problems = form.problems(running);
		if (!problems.isEmpty()) {
			return page(HttpStatus.UNPROCESSABLE_CONTENT, form, running, problems);
		}
		Optional<Run> run = this.runs.fire(form.chosenPolicy().orElseThrow(), form.number(), form.chosen(running));
		if (run.isEmpty()) {
			return page(HttpStatus.TOO_MANY_REQUESTS, form, running,
					Map.of("form", Runs.MAX_AT_ONCE + " runs are under way. Fire when one has ended."));
		}
		return new ModelAndView("redirect:/runs/" + run.get().userName(), HttpStatus.SEE_OTHER);
	}

	@GetMapping("/runs/{userName}")
	ModelAndView run(@PathVariable String userName) {
		return this.runs.find(userName).map((run) -> {
			ModelAndView page = page(HttpStatus.OK, FireForm.like(run), this.instances.running(), Map.of());
			return page.addObject("timeline", Timeline.of(run, this.executions));
		}).orElseGet(PageController::notFound);
	}

	/** Returns the part of the page that changes. */
	@GetMapping("/runs/{userName}/timeline")
	ModelAndView timeline(@PathVariable String userName) {
		return this.runs.find(userName)
			.map((run) -> new ModelAndView("timeline :: timeline", "timeline", Timeline.of(run, this.executions)))
			.orElseGet(PageController::notFound);
	}

	private ModelAndView page(HttpStatusCode status, FireForm form, List<Instance> running,
			Map<String, String> problems) {
		ModelAndView page = new ModelAndView("page",
				Map.of("form", form, "policies", Policy.values(), "instances", running, "maxRequests",
						FireForm.MAX_REQUESTS, "problems", problems, "runs", this.runs.latest(), "lockPlaces",
						LockPlace.values(), "store", this.store));
		page.setStatus(status);
		return page;
	}

	private static ModelAndView notFound() {
		return new ModelAndView("error/4xx", Map.of("status", 404), HttpStatus.NOT_FOUND);
	}

}
