import type { Role } from "../../access/roles.ts";
import { Prisma } from "../../base/db/db.ts";
import { env } from "../../base/env.ts";
import { isLoopbackHost, staysOnThisMachine } from "../../base/network/address.ts";
import { database } from "../database.ts";
import { isDirect } from "./direct.ts";

export interface DemoPerson {
  id: string;
  email: string;
  name: string;
  role: Role;
  organization: string;
}

/**
 * Returns the people who can be signed in with one click: those of a running demonstration, for a direct
 * request from this machine. Empty where Intray listens or is known beyond this machine, for another host
 * name, and behind any proxy.
 */
export async function demoPeople(headers: Headers): Promise<DemoPerson[]> {
  if (!env().demo || !staysOnThisMachine(env())) return [];
  if (!isDirect(headers) || !isLoopbackHost(headers.get("host"))) return [];
  const db = await database();
  return db.gate<DemoPerson>(
    Prisma.sql`SELECT user_id AS id, email, name, role, organization FROM gate.demo_people()`,
  );
}
