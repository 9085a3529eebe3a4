/** An organization's rules for signing in. A change binds the sessions that are open already. */
import { type Actor, roleSchema } from "../../../access/access-schema.ts";
import type { Principal } from "../../../access/principal.ts";
import type { Tx } from "../../../base/db/db.ts";
import { AppError } from "../../../base/errors.ts";
import { publishChangeNow } from "../../../base/live-updates.ts";
import { appendEvents } from "../../../history/events/event-writes.ts";
import { ANY_SIGN_IN, type NamedProvider, type RefusalKind, type SignInPolicy } from "./sign-in-schema.ts";
import { refusalSentence } from "./sign-in-status.ts";

/** The organization's rules for signing in. */
export async function readSignInPolicy(tx: Tx): Promise<SignInPolicy> {
  const row = await tx.signInPolicy.findUnique({ where: { organizationId: tx.organizationId } });
  if (!row) return ANY_SIGN_IN;
  return {
    providers: row.providers,
    providerAgeMs: msOf(row.providerAgeMs),
    keyAgeMs: msOf(row.keyAgeMs),
    acrValues: row.acrValues,
    amrValues: row.amrValues,
    secondFactorFrom: row.secondFactorFrom === null ? null : roleSchema.parse(row.secondFactorFrom),
    sessionMs: msOf(row.sessionMs),
    idleMs: msOf(row.idleMs),
  };
}

function msOf(value: bigint | null): number | null {
  return value === null ? null : Number(value);
}

/**
 * Sets the rules. `sessionId`: the caller's, which has to meet them, so that nobody locks all owners out by a slip.
 * `offered`: the providers that exist for this organization. Throws `would_lock_out`, `invalid_input` for another
 * provider, and `forbidden` for an API key, which shows nothing of what a person's sign-in meets.
 */
export async function setSignInPolicy(
  tx: Tx,
  { actor, role }: Principal,
  sessionId: string | null,
  offered: readonly NamedProvider[],
  policy: SignInPolicy,
): Promise<void> {
  if (sessionId === null)
    throw new AppError("forbidden", "Only a signed-in owner can set this, not an API key.");
  const gone = await goneSince(tx, policy.providers);
  const unknown = policy.providers.find(
    (id) => gone.includes(id) || !offered.some((provider) => provider.id === id),
  );
  if (unknown !== undefined)
    throw new AppError("invalid_input", "Some values are not valid.", {
      errors: [{ field: "providers", message: `There is no sign-in provider “${unknown}” here` }],
    });
  await write(tx, policy);
  const [row] = await tx.$queryRaw<{ refusal: RefusalKind | null }[]>`
    SELECT gate.refusal_of(${sessionId}::uuid, ${tx.organizationId}::uuid, ${role}) AS refusal`;
  if (row?.refusal) {
    const names = offered.filter(({ id }) => policy.providers.includes(id));
    throw new AppError(
      "would_lock_out",
      `Your own sign-in does not meet this, so you would be locked out. Sign in as you want to require it, then set it: ${refusalSentence(row.refusal, "this", names)}`,
      { extra: { refusal: row.refusal } },
    );
  }
  await record(tx, actor, policy);
}

/** Takes all rules back. On the operator's word alone: the way out for an organization whose provider is gone. */
export async function clearSignInPolicy(tx: Tx, actor: Actor): Promise<boolean> {
  const before = await readSignInPolicy(tx);
  if (JSON.stringify(before) === JSON.stringify(ANY_SIGN_IN)) return false;
  await write(tx, ANY_SIGN_IN);
  await record(tx, actor, ANY_SIGN_IN);
  return true;
}

/**
 * The organization's own providers among these that somebody has removed meanwhile. The others stay until this transaction
 * is over, and then can't be removed, being required.
 */
async function goneSince(tx: Tx, providers: readonly string[]): Promise<string[]> {
  const own = providers.filter((id) => id.startsWith("saml:"));
  const kept = await tx.$queryRaw<{ id: string }[]>`SELECT 'saml:' || id AS id FROM saml_provider
    WHERE organization_id = ${tx.organizationId}::uuid AND 'saml:' || id = ANY (${own}::text[]) ORDER BY id FOR KEY SHARE`;
  return own.filter((id) => !kept.some((provider) => provider.id === id));
}

async function write(tx: Tx, policy: SignInPolicy): Promise<void> {
  const bigints = {
    providerAgeMs: bigOf(policy.providerAgeMs),
    keyAgeMs: bigOf(policy.keyAgeMs),
    sessionMs: bigOf(policy.sessionMs),
    idleMs: bigOf(policy.idleMs),
  };
  const data = { ...policy, ...bigints };
  await tx.signInPolicy.upsert({
    where: { organizationId: tx.organizationId },
    create: { organizationId: tx.organizationId, ...data },
    update: data,
  });
}

async function record(tx: Tx, actor: Actor, policy: SignInPolicy): Promise<void> {
  // Streams look at once whether they may go on; whoever calls is judged at each call anyway.
  await publishChangeNow(tx, "member", [tx.organizationId]);
  await appendEvents(tx, [{ type: "organization.sign_in_changed", actor, data: { ...policy } }]);
}

function bigOf(value: number | null): bigint | null {
  return value === null ? null : BigInt(value);
}
