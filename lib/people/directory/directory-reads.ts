import { type Database, Prisma, type Tx } from "../../base/db/db.ts";
import { hashSecret } from "../../base/ids.ts";
import { DEFAULT_ROLES, type Directory } from "./directory-schema.ts";
import { peopleOf } from "./people.ts";

/** The directory as its owners see it. `url`: the base of the service. An organization without one gets the defaults. */
export async function readDirectory(tx: Tx, url: string): Promise<Directory> {
  const { organizationId } = tx;
  const row = await tx.directory.findUnique({ where: { organizationId } });
  const maker = row?.madeBy
    ? await tx.membership.findFirst({
        where: { organizationId, userId: row.madeBy },
        select: { userId: true },
      })
    : null;
  const person =
    maker && (await tx.user.findUnique({ where: { id: maker.userId }, select: { id: true, name: true } }));
  const counts = await tx.$queryRaw<{ state: string; count: bigint }[]>`SELECT x.state, count(*) AS count
    FROM ${peopleOf(organizationId)} x GROUP BY x.state`;
  const count = (state: string) => Number(counts.find((each) => each.state === state)?.count ?? 0);
  const failures = await tx.directoryFailure.findMany({
    where: { organizationId },
    orderBy: [{ at: "desc" }, { id: "desc" }],
  });
  const isOverlapping = row?.previousUntil != null && row.previousUntil > new Date();
  return {
    url,
    token:
      row?.tokenId && row.madeAt
        ? {
            madeBy: person && { id: person.id, name: person.name },
            madeAt: row.madeAt.toISOString(),
            rotatedAt: row.rotatedAt?.toISOString() ?? null,
            previousUntil: isOverlapping ? (row.previousUntil?.toISOString() ?? null) : null,
          }
        : null,
    lastCalledAt: row?.lastCalledAt?.toISOString() ?? null,
    lastCalledNetwork: row?.lastCalledNetwork ?? null,
    lastCalledAgent: row?.lastCalledAgent ?? null,
    defaultRole: DEFAULT_ROLES.find((role) => role === row?.defaultRole) ?? "viewer",
    managesOwners: row?.managesOwners ?? false,
    people: {
      active: count("active"),
      suspended: count("suspended") + count("inactive"),
      waiting: count("waiting"),
    },
    failures: failures.map(({ id, at, call, status, detail }) => ({
      id,
      at: at.toISOString(),
      call,
      status,
      detail,
    })),
  };
}

/** The directory behind a secret. */
export interface FoundDirectory {
  organization_id: string;
  token_id: string;
  manages_owners: boolean;
  /** The use of this minute is written down. */
  noted: boolean;
}

/** Returns null for a secret that is no directory's, whether it never was, was revoked, or has ended. */
export async function findDirectory(db: Database, secret: string): Promise<FoundDirectory | null> {
  const [row] = await db.gate<FoundDirectory>(
    Prisma.sql`SELECT * FROM gate.find_directory(${hashSecret(secret)})`,
  );
  return row ?? null;
}
