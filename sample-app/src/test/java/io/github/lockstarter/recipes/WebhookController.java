package io.github.lockstarter.recipes;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

import io.github.lockstarter.annotation.ExclusiveRequest;

@RestController
class WebhookController {

	private final Invoices invoices;

	WebhookController(Invoices invoices) {
		this.invoices = invoices;
	}

	@PostMapping("/webhooks/billing")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	@ExclusiveRequest(name = "billing-events", key = "#event.id", replay = "7d", keep = "2xx, 422",
			fingerprint = "-/attempt")
	void receive(@RequestBody BillingEvent event) {
		if (!event.type().equals("invoice.paid")) {
			throw new ResponseStatusException(HttpStatus.UNPROCESSABLE_CONTENT, "Unknown type of event");
		}
		this.invoices.paid(event.invoice());
	}

	record BillingEvent(String id, String type, String invoice) {

	}

}
