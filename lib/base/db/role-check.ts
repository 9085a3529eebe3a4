import { ConfigurationError } from "../env.ts";
import { type Database, Prisma } from "./db.ts";

/**
 * Row security does not bind a superuser, and an owner could lift it, so the role that serves requests must
 * be neither. Throws ConfigurationError. `setting` names the variable for the operator.
 */
export async function refusePowerfulRole(database: Database, setting: string): Promise<void> {
  const [role] = await database.gate<{ powerful: boolean }>(Prisma.sql`
    SELECT r.rolsuper OR r.rolbypassrls OR EXISTS (SELECT FROM pg_class c WHERE c.oid = to_regclass('public.task')
      AND pg_has_role(r.oid, c.relowner, 'MEMBER')) AS powerful
    FROM pg_roles r WHERE r.rolname = current_user`);
  if (role?.powerful !== false)
    throw new ConfigurationError(
      `${setting} names a superuser or the owner of the database, whom row security does not hold: use the role made for it.`,
    );
}
