/** A second organization with the sample servers, where the operator tries things out. */

import { z } from "zod";
import type { Principal } from "../../access/principal.ts";
import type { Database } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { readSandbox, sandboxFile, writeSandbox } from "./sandbox-file.ts";

/**
 * The sandbox organization of an installation. `impossible`: the caller is not the operator, or `npm start` does not run
 * Intray for one machine. `preparing`: `npm start` makes it.
 */
export const sandboxSchema = z.object({
  state: z.enum(["impossible", "none", "preparing", "ready"]),
  /** Null unless it is ready. */
  organizationId: z.uuid().nullable(),
});
export type SandboxState = z.infer<typeof sandboxSchema>;

export async function readSandboxState(db: Database, principal: Principal): Promise<SandboxState> {
  const file = await fileOf(db, principal);
  if (file === null) return { state: "impossible", organizationId: null };
  const sandbox = readSandbox(file);
  if (!sandbox) return { state: "none", organizationId: null };
  const { organizationId, isMade } = sandbox;
  if (!isMade) return { state: "preparing", organizationId: null };
  // An owner may have left or deleted it: then another one can be made.
  const isMember = await db.withOrganization(organizationId, (tx) =>
    tx.membership.count({ where: { organizationId, userId: principal.userId ?? "" } }),
  );
  return isMember > 0 ? { state: "ready", organizationId } : { state: "none", organizationId: null };
}

/** Has `npm start` make the sandbox. Throws `defined_by_operator`. */
export async function askForSandbox(db: Database, principal: Principal): Promise<SandboxState> {
  if (principal.actor.kind !== "member")
    throw new AppError("forbidden", "Only a person can make a sandbox, not an API key.");
  const file = await fileOf(db, principal);
  const { userId } = principal;
  if (file === null || userId === null)
    throw new AppError(
      "defined_by_operator",
      "Only the operator of an Intray that npm start runs for one machine can make a sandbox.",
    );
  const now = await readSandboxState(db, principal);
  if (now.state !== "none") return now;
  writeSandbox(file, { organizationId: uuidv7(), userId, isMade: false });
  return { state: "preparing", organizationId: null };
}

/** Returns the file if the principal is the operator: an owner, in person, of the organization that /setup made. */
async function fileOf(db: Database, principal: Principal): Promise<string | null> {
  const file = sandboxFile();
  const { organizationId, actor } = principal;
  if (file === null || actor.kind !== "member") return null;
  const isFirst = await db.withOrganization(organizationId, (tx) =>
    tx.organization.count({ where: { id: organizationId, setUp: true } }),
  );
  return isFirst > 0 ? file : null;
}
