/** Requests over HTTP (POST /api/v1/requests): the same question as the human tools', for programs without MCP. */
import type { Principal } from "../../access/principal.ts";
import { env } from "../../base/env.ts";
import type { Services } from "../../base/process/services.ts";
import { newSecret } from "../../outbound/webhooks/sign.ts";
import { checkAddress } from "../../outbound/webhooks/webhook-writes.ts";
import { callbackPlace } from "./callbacks.ts";
import { readCallbackSecret, readHumanRequest } from "./human-task-reads.ts";
import type { CreatedRequest, CreateRequest } from "./human-task-schema.ts";
import { createHumanTask, type HumanCall } from "./human-task-writes.ts";

/** Makes a request. Throws as `createHumanTask`, and `address_not_allowed` for a `callbackUrl` that is not public. */
export async function createHumanRequest(
  services: Services,
  principal: Principal,
  input: CreateRequest,
  idempotencyKey: string | null,
): Promise<{ request: CreatedRequest; created: boolean }> {
  const { db, network, seal } = services;
  const { organizationId } = principal;
  const { callbackUrl, subject } = input;
  if (callbackUrl !== undefined) checkAddress(network, callbackUrl, "callbackUrl");
  const callback = callbackUrl === undefined ? null : { url: callbackUrl, seal: sealed };
  function sealed(inputRequestId: string): string {
    return seal.seal(callbackPlace(organizationId, inputRequestId), newSecret());
  }
  return db.withOrganization(organizationId, async (tx) => {
    const options = { subject, idempotencyKey, callback };
    const { inputRequestId, created } = await createHumanTask(tx, principal, callOf(input), options);
    const request = await readHumanRequest(tx, principal, inputRequestId, env().url);
    const callbackSecret = await readCallbackSecret(tx, seal, inputRequestId);
    return { request: { ...request, callbackSecret }, created };
  });
}

function callOf(input: CreateRequest): HumanCall {
  const { kind, message, subject: _subject, callbackUrl: _callbackUrl, ...rest } = input;
  return kind === "approval"
    ? { tool: "request_approval", arguments: { action: message, ...rest } }
    : { tool: "ask_person", arguments: { message, ...rest } };
}
