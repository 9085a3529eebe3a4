/** Addresses of this machine and of private networks that the installation's operator allows by a press. */
import { isPerson, type Principal } from "../access/principal.ts";
import type { Tx } from "../base/db/db.ts";
import { env } from "../base/env.ts";
import { AppError } from "../base/errors.ts";
import { allowedHostsFile, changeAllowedHosts, readAllowedHosts } from "../base/network/allowed-hosts.ts";
import type { Services } from "../base/process/services.ts";
import { appendEvents } from "../history/events/event-writes.ts";
import type { AllowedHosts } from "./server-schema.ts";
import { privateHostOf } from "./words/address-words.ts";

export async function listAllowedHosts(tx: Tx, principal: Principal): Promise<AllowedHosts> {
  const file = await fileOf(tx, principal);
  return file === null ? { possible: false, hosts: [] } : { possible: true, hosts: readAllowedHosts(file) };
}

/** Throws `defined_by_operator`, and `address_not_allowed` for one that is public or Intray's own. */
export async function allowHost(services: Services, principal: Principal, url: string) {
  const host = privateHostOf(url);
  const port = Number(host?.slice(host.lastIndexOf(":") + 1));
  return change(services, principal, "host.allowed", host ?? "", (hosts) => {
    if (host === null)
      throw new AppError("address_not_allowed", "No private address needs to be allowed here.");
    if (env().denyPorts.includes(port))
      throw new AppError("address_not_allowed", `Port ${port} is Intray’s own. Its parts are never called.`);
    return [...hosts.filter((other) => other !== host), host];
  });
}

/** Throws `defined_by_operator`. */
export async function removeHost(services: Services, principal: Principal, host: string) {
  return change(services, principal, "host.removed", host, (hosts) =>
    hosts.filter((other) => other !== host),
  );
}

/** Writes the history first, so that no address is ever open without a line. */
async function change(
  { db }: Services,
  principal: Principal,
  type: "host.allowed" | "host.removed",
  host: string,
  next: (hosts: string[]) => string[],
): Promise<AllowedHosts> {
  if (!isPerson(principal))
    throw new AppError("forbidden", "Only a person can allow an address, not an API key.");
  const file = await db.withOrganization(principal.organizationId, async (tx) => {
    const found = await fileOf(tx, principal);
    if (found === null)
      throw new AppError(
        "defined_by_operator",
        "Only the operator of this Intray allows addresses, with INTRAY_ALLOW_HOSTS.",
      );
    const hosts = readAllowedHosts(found);
    if (next(hosts).length !== hosts.length)
      await appendEvents(tx, [{ type, actor: principal.actor, data: { host } }]);
    return found;
  });
  changeAllowedHosts(file, next);
  return { possible: true, hosts: readAllowedHosts(file) };
}

/**
 * Returns the file of allowed addresses if the principal is the operator: an owner, in person, of the organization that
 * /setup made, or until then the first owner of the demonstration.
 */
async function fileOf(tx: Tx, principal: Principal): Promise<string | null> {
  const file = allowedHostsFile();
  if (file === null || !isPerson(principal)) return null;
  const [row] = await tx.$queryRaw<{ isOperator: boolean }[]>`
    SELECT set_up OR (demo AND ${principal.userId}::uuid =
      (SELECT p.user_id FROM gate.demo_people() p WHERE p.role = 'owner' LIMIT 1)) AS "isOperator"
    FROM organization WHERE id = ${tx.organizationId}::uuid`;
  return row?.isOperator ? file : null;
}
