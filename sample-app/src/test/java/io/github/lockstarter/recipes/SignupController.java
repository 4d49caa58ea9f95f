package io.github.lockstarter.recipes;

import java.util.UUID;

import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;

import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.validation.BindingResult;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;

@Controller
class SignupController {

	private final Accounts accounts;

	SignupController(Accounts accounts) {
		this.accounts = accounts;
	}

	@GetMapping("/signup")
	String form(Model model) {
		model.addAttribute(new SignupForm(UUID.randomUUID().toString(), ""));
		return "signup";
	}

	@PostMapping("/signup")
	@ExclusiveRequest(name = "signup", key = "#form.token", condition = "!#errors.hasErrors()",
			onConflict = OnConflict.SHARE, replay = "10m")
	String submit(@Valid SignupForm form, BindingResult errors) {
		if (errors.hasErrors()) {
			return "signup";
		}
		return "redirect:/accounts/" + this.accounts.open(form.userName());
	}

	record SignupForm(String token, @NotBlank String userName) {

	}

}
