import type { IncomingMessage } from "node:http";
import { log } from "../../../base/log.ts";
import { onePerProcess } from "../../../base/process/process-wide.ts";

const warning = onePerProcess("warning of a proxy", () => ({ isSaid: false }));

/**
 * Logs once that requests seem to come through a proxy that the operator has not named: all people are one network
 * then. A caller can send the header too, so that it only makes a line in the log.
 */
export function warnOfProxy(request: IncomingMessage, proxies: number): void {
  if (warning().isSaid || proxies > 0 || request.headers["x-forwarded-for"] === undefined) return;
  warning().isSaid = true;
  log.warn(
    "A request has X-Forwarded-For. Where a proxy stands in front, set INTRAY_TRUSTED_PROXIES to the number of proxies: without it everybody is counted as one network.",
  );
}
