package io.github.lockstarter.recipes;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.annotation.ExclusiveRequest;

@RestController
class ImportController {

	private final Catalog catalog;

	ImportController(Catalog catalog) {
		this.catalog = catalog;
	}

	@PostMapping("/tenants/{tenant}/imports")
	@ExclusiveRequest(name = "import", key = "#tenant", ttl = "30s")
	Imported importProducts(@PathVariable String tenant, Lease lease) {
		int products = 0;
		try (Catalog.Feed feed = this.catalog.open(tenant)) {
			lease.onLost(feed::cancel);
			while (lease.isHeld() && feed.hasNext()) {
				this.catalog.save(tenant, feed.next());
				products++;
			}
		}
		if (!lease.isHeld()) {
			throw new LeaseLostException(lease.key());
		}
		return new Imported(tenant, products);
	}

	record Imported(String tenant, int products) {

	}

}
