package io.github.lockstarter.compatibility.replayed;

import org.springframework.data.jpa.repository.JpaRepository;

/** The invoices. */
interface Invoices extends JpaRepository<Invoice, Long> {

}
