import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config.ts";
import { log } from "../log.ts";

/** Stand-ins for the ERP and the payment gateway, failing as often as the settings say. */

export async function validateAgainstErp(config: Config): Promise<boolean> {
  return Math.random() >= config.validationMismatch;
}

const GATEWAY_ATTEMPTS = 3;

/**
 * Pays one line. `paymentId` is what a real gateway would take as its idempotency key: a server that is killed
 * between the payment and writing it down asks again with the same one.
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
