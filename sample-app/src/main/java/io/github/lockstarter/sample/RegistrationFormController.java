package io.github.lockstarter.sample;

import java.io.IOException;
import java.util.Map;
import java.util.UUID;

import jakarta.servlet.http.HttpServletResponse;

import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.ModelAndView;

import io.github.lockstarter.annotation.ExclusiveRequest;

/**
 * Registration in a browser, without script. Each form has its own token, which two
 * submits of the same form share.
 */
@Controller
class RegistrationFormController {

	private final RegistrationService registration;

	RegistrationFormController(RegistrationService registration) {
		this.registration = registration;
	}

	@GetMapping("/register")
	ModelAndView form() {
		return form(HttpStatus.OK, "");
	}

	@PostMapping("/register")
	@ExclusiveRequest(name = "form", key = "#token")
	ModelAndView register(@RequestParam(defaultValue = "") String token,
			@RequestParam(defaultValue = "") String userName) {
		try {
			User user = this.registration.register(userName);
			return new ModelAndView("redirect:/users/" + user.userId(), HttpStatus.SEE_OTHER);
		}
		catch (AlreadyRegisteredException ex) {
			return form(HttpStatus.UNPROCESSABLE_CONTENT, userName);
		}
	}

	/**
	 * Shows the error page. Otherwise the answer would be problem details, which are for
	 * programs.
	 */
	@ExceptionHandler
	void showErrorPage(PointsUnavailableException exception, HttpServletResponse response) throws IOException {
		response.sendError(exception.getStatusCode().value());
	}

	private static ModelAndView form(HttpStatus status, String takenName) {
		return new ModelAndView("register", Map.of("token", UUID.randomUUID(), "takenName", takenName), status);
	}

}
