/** All writes of sign-ins that are under way: requests that went out, and assertions that came back, each once. */
import { Prisma, type Tx } from "../../base/db/db.ts";
import { hashSecret, randomSecret } from "../../base/ids.ts";
import { newRequestId } from "./certificate.ts";
import { type Asserted, SamlFault } from "./response.ts";
import { ASSERTION_KEPT_MS, REQUEST_MS, TICKET_MS } from "./tunables.ts";

/** `link` and `test` are begun by a person who is signed in; `sign_in` by anybody. */
export type Purpose = "sign_in" | "link" | "test";

export interface Begun {
  purpose: Purpose;
  userId: string | null;
  callback: string;
}

const ms = (time: number) => Prisma.sql`${time}::double precision * interval '1 ms'`;

/** Keeps a request, and drops those that are too old. `browser`: the cookie's secret. Returns the request's id. */
export async function openRequest(
  tx: Tx,
  providerId: string,
  browser: string,
  { purpose, userId, callback }: Begun,
): Promise<string> {
  const id = newRequestId();
  await tx.$executeRaw`DELETE FROM saml_request WHERE organization_id = ${tx.organizationId}::uuid
    AND provider_id = ${providerId}::uuid AND created_at < now() - ${ms(REQUEST_MS)}`;
  await tx.$executeRaw`DELETE FROM saml_response WHERE organization_id = ${tx.organizationId}::uuid
    AND provider_id = ${providerId}::uuid AND created_at < now() - ${ms(ASSERTION_KEPT_MS)}`;
  await tx.$executeRaw`INSERT INTO saml_request (organization_id, id, provider_id, browser_hash, purpose, user_id, callback)
    VALUES (${tx.organizationId}::uuid, ${id}, ${providerId}::uuid, ${hashSecret(browser)}, ${purpose}, ${userId}::uuid, ${callback})`;
  return id;
}

/** The request of that id that no response has answered yet; null: there is none. */
export async function findRequest(tx: Tx, providerId: string, id: string): Promise<Begun | null> {
  const [found] = await tx.$queryRaw<Begun[]>`SELECT purpose, user_id AS "userId", callback FROM saml_request
    WHERE organization_id = ${tx.organizationId}::uuid AND provider_id = ${providerId}::uuid AND id = ${id}
      AND answered_at IS NULL`;
  return found ?? null;
}

/**
 * Takes an assertion that was checked: once, and as the answer to a request of this provider that has no other. One
 * that nobody asked for goes to `unasked`, a browser that the response itself names. Returns the secret with which the
 * browser's next request fetches it. Throws SamlFault.
 */
export async function takeAssertion(
  tx: Tx,
  providerId: string,
  asserted: Asserted,
  unasked: { browser: string; callback: string } | null,
): Promise<string> {
  const to = asserted.inResponseTo
    ? await answerRequest(tx, providerId, asserted.inResponseTo)
    : unasked && {
        browserHash: hashSecret(unasked.browser),
        purpose: "sign_in" as const,
        userId: null,
        callback: unasked.callback,
      };
  if (!to) {
    if (asserted.inResponseTo === null) throw new SamlFault("provider_started");
    const [known] = await tx.$queryRaw<
      unknown[]
    >`SELECT 1 FROM saml_request WHERE organization_id = ${tx.organizationId}::uuid
      AND provider_id = ${providerId}::uuid AND id = ${asserted.inResponseTo} AND answered_at IS NOT NULL`;
    throw new SamlFault(known ? "used" : "not_started");
  }
  const ticket = randomSecret();
  const { assertionId, attributes, ...rest } = asserted;
  const claims = JSON.stringify({ ...rest, attributes: Object.fromEntries(attributes) });
  const taken =
    await tx.$executeRaw`INSERT INTO saml_response (organization_id, provider_id, assertion_id, ticket_hash,
      browser_hash, purpose, user_id, callback, claims)
    VALUES (${tx.organizationId}::uuid, ${providerId}::uuid, ${assertionId}, ${hashSecret(ticket)}, ${to.browserHash},
      ${to.purpose}, ${to.userId}::uuid, ${to.callback}, ${claims}::jsonb) ON CONFLICT DO NOTHING`;
  if (taken === 0) throw new SamlFault("used");
  return ticket;
}

/** Of two responses to one request, one finds it unanswered. */
async function answerRequest(tx: Tx, providerId: string, id: string) {
  const [answered] = await tx.$queryRaw<(Begun & { browserHash: Uint8Array })[]>`UPDATE saml_request
    SET answered_at = now() WHERE organization_id = ${tx.organizationId}::uuid AND provider_id = ${providerId}::uuid
      AND id = ${id} AND answered_at IS NULL AND created_at > now() - ${ms(REQUEST_MS)}
    RETURNING purpose, user_id AS "userId", callback, browser_hash AS "browserHash"`;
  return answered ?? null;
}

/** Fetches what a ticket stands for, once, and by the browser that it is for. Null: too late, used, or another browser. */
export async function takeTicket(
  tx: Tx,
  providerId: string,
  ticket: string,
  browser: string,
): Promise<(Begun & { claims: unknown }) | null> {
  const [taken] = await tx.$queryRaw<(Begun & { claims: unknown })[]>`
    WITH found AS (SELECT assertion_id, claims FROM saml_response WHERE organization_id = ${tx.organizationId}::uuid
      AND provider_id = ${providerId}::uuid AND ticket_hash = ${hashSecret(ticket)} AND browser_hash = ${hashSecret(browser)}
      AND taken_at IS NULL AND created_at > now() - ${ms(TICKET_MS)} FOR UPDATE)
    UPDATE saml_response r SET taken_at = now(), claims = NULL FROM found
    WHERE r.organization_id = ${tx.organizationId}::uuid AND r.provider_id = ${providerId}::uuid
      AND r.assertion_id = found.assertion_id AND r.taken_at IS NULL
    RETURNING r.purpose, r.user_id AS "userId", r.callback, found.claims`;
  return taken ?? null;
}
