import { roleSchema } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import { type Database, Prisma, type Tx } from "../../base/db/db.ts";
import { env } from "../../base/env.ts";
import { toDeletion } from "./delete.ts";
import { readProposal } from "./four-eyes.ts";
import { toHold } from "./hold.ts";
import type { DeclineReasons, ListedOrganization, Organization, UndoWindow } from "./organization-schema.ts";

/** The organization as the principal sees it. */
export async function readOrganization(tx: Tx, principal: Principal): Promise<Organization> {
  const found = await tx.organization.findUniqueOrThrow({
    where: { id: tx.organizationId },
    select: {
      id: true,
      slug: true,
      name: true,
      fourEyes: true,
      twoPersonPolicy: true,
      keysWithoutEnd: true,
      pushText: true,
      exportedAt: true,
      createdAt: true,
      deletionRequestedAt: true,
      deletionRequestedBy: true,
      holdAt: true,
      holdBy: true,
      holdReason: true,
    },
  });
  return {
    id: found.id,
    slug: found.slug,
    name: found.name,
    fourEyes: found.fourEyes,
    twoPersonPolicy: found.twoPersonPolicy,
    keysWithoutEnd: found.keysWithoutEnd,
    pushText: found.pushText,
    deletion: toDeletion(found),
    hold: toHold(found),
    keepAtLeastDays: env().keepAtLeastDays,
    fourEyesProposal: found.fourEyes ? await readProposal(tx, principal) : null,
    exportedAt: found.exportedAt?.toISOString() ?? null,
    createdAt: found.createdAt.toISOString(),
  };
}

/**
 * The organizations of a session's person, first joined first, with the ids of the providers that they require. The only
 * query across organizations.
 */
export async function organizationsOf(
  db: Database,
  sessionId: string,
): Promise<(Omit<ListedOrganization, "providers"> & { providers: string[] })[]> {
  const rows = await db.gate<{
    id: string;
    slug: string;
    name: string;
    role: string;
    refusal: ListedOrganization["refusal"];
    providers: string[] | null;
  }>(
    Prisma.sql`SELECT id, slug, name, role, refusal, providers FROM gate.organizations_of_session(${sessionId}::uuid)`,
  );
  return rows.map((row) => ({
    ...row,
    role: roleSchema.parse(row.role),
    providers: row.providers ?? [],
  }));
}

/** The reasons for declining that the organization offers. */
export async function readDeclineReasons(tx: Tx): Promise<DeclineReasons> {
  const { declineReasons } = await tx.organization.findUniqueOrThrow({
    where: { id: tx.organizationId },
    select: { declineReasons: true },
  });
  return { reasons: declineReasons };
}

/** How long an answer is held, so that it can be undone. */
export async function readUndoWindow(tx: Tx): Promise<UndoWindow> {
  const { undoWindowMs } = await tx.organization.findUniqueOrThrow({
    where: { id: tx.organizationId },
    select: { undoWindowMs: true },
  });
  return { holdMs: undoWindowMs };
}
