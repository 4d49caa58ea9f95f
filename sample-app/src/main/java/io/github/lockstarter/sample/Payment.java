package io.github.lockstarter.sample;

import java.util.UUID;

/**
 * A payment.
 *
 * @param paymentId the identifier
 * @param userName the user who pays
 * @param amount the amount
 */
public record Payment(UUID paymentId, String userName, int amount) {

}
