/** The organization's app at Teams: what admins read and set up. lib/outbound/channel/delivery.ts notes when Microsoft takes its secret no more. */
import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import type { Seal } from "../../base/seal.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { readSending } from "../channel/app-writes.ts";
import { TEAMS } from "../channel/platforms.ts";
import { type AccessToken, askAccess, failureOf, secretPlace, type TeamsMeans } from "./teams-api.ts";
import { CALLBACK_PATH, messagingPath, type SetUpTeams, type Teams } from "./teams-schema.ts";

export async function readTeams(tx: Tx, appUrl: string): Promise<Teams> {
  const { organizationId } = tx;
  const app = await tx.teamsApp.findFirst({
    where: { organizationId },
    select: { appId: true, tenantId: true },
  });
  const sending = await readSending(TEAMS, tx);
  return {
    app: app && sending && { ...app, ...sending },
    messagingEndpoint: appUrl + messagingPath(organizationId),
    redirectUri: appUrl + CALLBACK_PATH,
  };
}

/** Asks Microsoft for a token, by which it says whether the secret is the app's. Throws `teams_refused`, `server_unavailable`. */
export async function checkTeams(means: TeamsMeans, app: SetUpTeams): Promise<AccessToken> {
  return askAccess(means, app).catch((error: unknown) => {
    const failure = failureOf(error);
    if (failure.kind === "unknown") throw new AppError("server_unavailable", failure.error);
    if (failure.kind === "limited")
      throw new AppError("server_unavailable", "Microsoft asks for a pause. Try again in a minute.");
    const message = `Microsoft does not accept this: ${failure.kind === "revoked" ? failure.code : failure.error}.`;
    throw new AppError("teams_refused", message, { errors: [{ field: "clientSecret", message }] });
  });
}

/** Sets Teams up, or replaces the secret. Another app or tenant unlinks all accounts: its messages are in other conversations. */
export async function setUpTeams(
  tx: Tx,
  { actor }: Principal,
  seal: Seal,
  { appId, tenantId, clientSecret }: SetUpTeams,
  { token, until }: AccessToken,
): Promise<void> {
  const { organizationId, teamsApp } = tx;
  // One at a time: of two at once the later one finds the app of the first.
  await tx.$queryRaw`SELECT FROM organization WHERE id = ${organizationId}::uuid FOR UPDATE`;
  const before = await teamsApp.findFirst({ where: { organizationId } });
  const isSame = before?.appId === appId && before.tenantId === tenantId;
  if (before && !isSame) await teamsApp.deleteMany({ where: { organizationId } });
  const id = isSame ? before.id : uuidv7();
  const now = {
    sealedClientSecret: seal.seal(secretPlace(organizationId, id, "sealed_client_secret"), clientSecret),
    sealedToken: seal.seal(secretPlace(organizationId, id, "sealed_token"), token),
    tokenUntil: until,
    setUpAt: new Date(),
    notBefore: new Date(),
    revokedAt: null,
    revokedBecause: null,
  };
  await teamsApp.upsert({
    where: { organizationId },
    create: { organizationId, id, appId, tenantId, ...now },
    update: now,
  });
  await tx.teamsAccount.updateMany({
    where: { organizationId },
    data: { dueAt: new Date(), notBefore: new Date() },
  });
  await appendEvents(tx, [{ type: "teams.set_up", actor, data: { organizationId, tenant: tenantId } }]);
}
