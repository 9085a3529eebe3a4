import { Prisma } from "../db.ts";
import { env } from "../env.ts";
import type { Role } from "../members/schema.ts";
import { database } from "./database.ts";

export interface DemoPerson {
  id: string;
  email: string;
  name: string;
  role: Role;
  organization: string;
}

/**
 * Who may be signed in by one click: the demonstration's people, while it runs, on this machine alone. The Host is
 * what the browser was pointed at, so that another name that leads here (DNS rebinding) does not count.
 */
export async function demoPeople(host: string | null | undefined): Promise<DemoPerson[]> {
  if (!env().demo || !isLoopback(host)) return [];
  const db = await database();
  return db.gate<DemoPerson>(
    Prisma.sql`SELECT user_id AS id, email, name, role, organization FROM gate.demo_people()`,
  );
}

export function isLoopback(host: string | null | undefined): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host ?? "");
}
