import { randomBytes } from "node:crypto";
import { isUniqueViolation } from "../../base/db/database-errors.ts";
import { type Database, Prisma } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { operatorServers } from "../../servers/operator-file.ts";
import { giveOperatorServers } from "../../servers/operator-sync.ts";
import { slugOf } from "../../text/slug.ts";
import type { SetupInput } from "../members/member-schema.ts";
import { hashNewPassword } from "../members/new-password.ts";
import { refuseName } from "../members/person-name.ts";

/**
 * Makes the first organization, its owner, and the operator's servers for it, which ends a demonstration for
 * good. Throws `already_set_up`, and as `refuseName` does; of two simultaneous calls, one wins.
 */
export async function setUp(db: Database, input: SetupInput): Promise<{ slug: string }> {
  refuseName(input.name);
  const organizationId = uuidv7();
  const slug = await createFirst(organizationId, db, input);
  await db.withOrganization(organizationId, (tx) => giveOperatorServers(tx, slug, operatorServers()));
  return { slug };
}

export function alreadySetUp(): AppError {
  return new AppError("already_set_up", "Intray is set up already; sign in, or ask an owner for an account.");
}

/** Returns the slug that was free. */
async function createFirst(organizationId: string, db: Database, input: SetupInput): Promise<string> {
  const passwordHash = await hashNewPassword(input.password, [
    input.name,
    input.email,
    input.organizationName,
  ]);
  const slug = slugOf(input.organizationName);
  // A demonstration may use the plain slug.
  for (const candidate of [slug, `${slug}-${randomBytes(3).toString("hex")}`]) {
    try {
      const [row] = await db.gate<{
        done: boolean;
      }>(Prisma.sql`SELECT gate.set_up(${organizationId}::uuid, ${candidate},
        ${input.organizationName}, ${uuidv7()}::uuid, ${input.email}, ${input.name}, ${passwordHash},
        ${uuidv7()}::uuid) AS done`);
      if (row?.done) return candidate;
      throw alreadySetUp();
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
  }
  // Both slugs can't be taken, so the e-mail address is: by one of the demonstration's people.
  throw new AppError("invalid_input", "Some values are not valid.", {
    errors: [{ field: "email", message: "This address belongs to an account already" }],
  });
}
