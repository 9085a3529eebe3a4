import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config.ts";
import { log } from "../log.ts";

/** Stand-ins for the ERP and the payment gateway, which fail with the configured probabilities. */

export async function validateAgainstErp(config: Config): Promise<boolean> {
  return Math.random() >= config.validationMismatch;
}

const GATEWAY_ATTEMPTS = 3;

/**
 * Pays one line. `paymentId` serves as the gateway's idempotency key: a server killed between the payment and
 * its record repeats the call with the same key.
 */
export async function charge(
  config: Config,
  paymentId: string,
): Promise<{ reference: string } | { failure: string }> {
  if (Math.random() < config.insufficientFunds) return { failure: "INSUFFICIENT_FUNDS" };
  for (let attempt = 1; attempt <= GATEWAY_ATTEMPTS; attempt++) {
    if (Math.random() >= config.gatewayError)
      return { reference: `PAY-${paymentId.replace(/^invoice-/, "")}` };
    log.debug(`payment ${paymentId}: gateway error, attempt ${attempt} of ${GATEWAY_ATTEMPTS}`);
    if (attempt < GATEWAY_ATTEMPTS) await sleep(1000 * 2 ** (attempt - 1));
  }
  return { failure: "GATEWAY_ERROR" };
}
