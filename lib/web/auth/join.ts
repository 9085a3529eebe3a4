import { Prisma } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { join } from "../../invitations/join.ts";
import { database } from "../database.ts";
import { refuseCrossSite } from "../http/same-origin.ts";
import { cookieOf, type Person, personOf, sessionCookieName } from "./session-cookie.ts";

/** Makes the signed-in person a member, and switches their session to the organization joined. */
export async function joinAsPerson(request: Request, token: string): Promise<void> {
  const person: Person | null = await personOf(cookieOf(request, sessionCookieName()));
  if (!person) throw new AppError("unauthenticated", "Sign in first.");
  refuseCrossSite(request);
  const db = await database();
  const organizationId = await join(db, person, token);
  await db.gate(
    Prisma.sql`SELECT gate.choose_organization(${person.sessionId}::uuid, ${organizationId}::uuid) AS chosen`,
  );
}
