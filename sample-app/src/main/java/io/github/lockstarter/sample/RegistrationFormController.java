package io.github.lockstarter.sample;

import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.UUID;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.ModelAndView;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;

/**
 * Registration in a browser, without script. Each form has a token of its own. The second
 * submit of a form has the same token, and gets the response to the first.
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
	@ExclusiveRequest(name = "form", key = "#token", onConflict = OnConflict.SHARE, replay = "10m")
	ResponseEntity<Void> register(@RequestParam(defaultValue = "") String token,
			@RequestParam(defaultValue = "") String userName, HttpServletRequest request) {
		User user = this.registration.register(userName);
		return ResponseEntity.status(HttpStatus.SEE_OTHER)
			.location(URI.create(request.getContextPath() + "/users/" + user.userId()))
			.build();
	}

	@ExceptionHandler
	ModelAndView showFormAgain(AlreadyRegisteredException exception, HttpServletRequest request) {
		return form(HttpStatus.UNPROCESSABLE_CONTENT, request.getParameter("userName"));
	}

	/**
	 * Shows the error page. Otherwise the response would be problem details, which are
	 * for programs.
	 */
	@ExceptionHandler({ InvalidUserNameException.class, PointsUnavailableException.class })
	void showErrorPage(ErrorResponseException exception, HttpServletResponse response) throws IOException {
		response.sendError(exception.getStatusCode().value());
	}

	private static ModelAndView form(HttpStatus status, String takenName) {
		return new ModelAndView("register", Map.of("token", UUID.randomUUID(), "takenName", takenName), status);
	}

}
