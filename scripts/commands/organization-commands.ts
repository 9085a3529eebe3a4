import { networksSchema } from "../../lib/access/access-schema.ts";
import { isUniqueViolation } from "../../lib/base/db/database-errors.ts";
import { Prisma } from "../../lib/base/db/db.ts";
import { uuidv7 } from "../../lib/base/ids.ts";
import { addMember } from "../../lib/people/members/member-writes.ts";
import { readAddresses, setAddresses } from "../../lib/people/organizations/addresses.ts";
import { domainSchema, listDomains } from "../../lib/people/organizations/domains/domain-reads.ts";
import {
  addDomain,
  markVerified,
  removeDomain,
} from "../../lib/people/organizations/domains/domain-writes.ts";
import { COMMAND_LINE, createOrganization } from "../../lib/people/organizations/organization-writes.ts";
import { type Quota, readQuota, setQuota } from "../../lib/people/organizations/quota.ts";
import { clearSignInPolicy } from "../../lib/people/organizations/sign-in/sign-in-policy.ts";
import { confirmAs } from "../../lib/people/saml/saml-writes.ts";
import { operatorServers } from "../../lib/servers/operator-file.ts";
import { giveOperatorServers } from "../../lib/servers/operator-sync.ts";
import { SLUG } from "../../lib/text/slug.ts";
import { CommandError, read, required, takeSwitch, UsageError } from "./usage.ts";
import { nameOf, passwordLink, readEmail } from "./user-commands.ts";
import { organizationBySlug, withOwnerDatabase } from "./with-database.ts";

/** Makes an organization with its owner and the operator's servers for it; returns the owner's link. */
export async function createOrganizationCommand(args: string[]): Promise<string> {
  const { values, words } = read(args, ["name", "owner"], 1);
  const slug = words[0] ?? "";
  if (!SLUG.test(slug))
    throw new UsageError("A slug has 1 to 63 of a-z, 0-9 and -, and begins with none of the last.");
  const name = required(values.name, "--name");
  const email = readEmail(values.owner, "--owner");
  const servers = operatorServers();
  return withOwnerDatabase(async (db) => {
    const organizationId = uuidv7();
    return db.withOrganization(organizationId, async (tx) => {
      await createOrganization(tx, { slug, name }).catch((error: unknown) => {
        throw isUniqueViolation(error)
          ? new CommandError(`There is an organization "${slug}" already.`)
          : error;
      });
      const person = { email, name: nameOf(email), role: "owner" as const };
      await giveOperatorServers(tx, slug, servers);
      const { userId } = await addMember(tx, COMMAND_LINE, person);
      return passwordLink(tx, userId);
    });
  });
}

const OPTIONS = {
  open: "openTasks",
  starts: "startsAMinute",
  "open-each": "openTasksEach",
  "starts-each": "startsAMinuteEach",
} as const satisfies Record<string, keyof Quota>;

/** Sets an organization's quotas and returns all of them; without options it only shows them. */
export async function setQuotaCommand(args: string[]): Promise<string> {
  const { values, words } = read(args, Object.keys(OPTIONS) as (keyof typeof OPTIONS)[], 1);
  const quota: Partial<Quota> = {};
  for (const [name, value] of Object.entries(values))
    quota[OPTIONS[name as keyof typeof OPTIONS]] = readCount(value, `--${name}`);
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, words[0] ?? "");
    const now = await db.withOrganization(organizationId, (tx) =>
      Object.keys(quota).length > 0 ? setQuota(tx, quota) : readQuota(tx),
    );
    return JSON.stringify(now);
  });
}

function readCount(value: string, name: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new UsageError(`${name}: "${value}" is not a number of tasks.`);
  return Number(value);
}

/** Takes back what an organization asks of sign-ins, for one whose own people can't: its provider is gone. */
export async function organizationSignIn(args: string[]): Promise<string> {
  const { isSet, rest } = takeSwitch(args, "--clear");
  const { values } = read(rest, ["org"]);
  const slug = required(values.org, "--org");
  if (!isSet) throw new UsageError("--clear is missing: there is nothing else to do here.");
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, slug);
    const changed = await db.withOrganization(organizationId, (tx) => clearSignInPolicy(tx, COMMAND_LINE));
    return changed
      ? `The people of "${slug}" may sign in in any way again.`
      : `"${slug}" asks for nothing; nothing was changed.`;
  });
}

/** Confirms a SAML provider as it is, where no owner counts as another person than who set it up. */
export async function confirmSamlCommand(args: string[]): Promise<string> {
  const { values, words } = read(args, ["org"], 1);
  const slug = required(values.org, "--org");
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, slug);
    return db.withOrganization(organizationId, async (tx) => {
      const named = await tx.samlProvider.findMany({ where: { organizationId, name: words[0] ?? "" } });
      const [found, ...more] = named;
      if (!found) throw new CommandError(`"${slug}" has no SAML provider "${words[0]}".`);
      if (more.length > 0)
        throw new CommandError(`"${slug}" has several SAML providers "${words[0]}": rename one.`);
      await confirmAs(tx, null, COMMAND_LINE, found.id);
      return `${found.name} is confirmed. Its sessions ended.`;
    });
  });
}

/** Verifies a domain on the operator's word, or removes it: also one that another organization is to have. */
export async function organizationDomain(args: string[]): Promise<string> {
  const { isSet: isRemoval, rest } = takeSwitch(args, "--remove");
  const { values, words } = read(rest, ["org"], 1);
  const slug = required(values.org, "--org");
  const domain = domainSchema.safeParse(words[0]).data;
  if (domain === undefined) throw new UsageError(`"${words[0]}" is no domain.`);
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, slug);
    return db.withOrganization(organizationId, async (tx) => {
      if (!isRemoval) {
        const id = await addDomain(tx, COMMAND_LINE, domain);
        await markVerified(tx, COMMAND_LINE, id);
        return `${domain} is a verified domain of "${slug}".`;
      }
      const found = (await listDomains(tx)).find((each) => each.domain === domain);
      if (!found) throw new CommandError(`${domain} is no domain of "${slug}".`);
      await removeDomain(tx, COMMAND_LINE, found.id);
      return `${domain} is no domain of "${slug}" any more.`;
    });
  });
}

/** Longer than any organization is old: the operator's own export or backup counts. */
const ANY_EXPORT_MS = 36_500n * 86_400_000n;

const REFUSALS: Record<string, string> = {
  export_first: "An owner has never exported it. An owner exports it first, under Settings → Organization.",
  tasks_open: "There are tasks that still run. Cancel them or let them end first.",
};

/** Deletes an organization at once, without the three days that its owners have. */
export async function deleteOrganizationCommand(args: string[]): Promise<string> {
  const { values, words } = read(args, ["confirm"], 1);
  const slug = required(words[0], "The slug");
  if (values.confirm !== slug) throw new UsageError(`Say --confirm ${slug} to delete it for good.`);
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, slug);
    const held = await db.withOrganization(organizationId, (tx) =>
      tx.organization.count({ where: { id: organizationId, holdAt: { not: null } } }),
    );
    if (held > 0) throw new CommandError(`"${slug}" is under a legal hold. One of its owners lifts it.`);
    const [row] = await db.gate<{ refusal: string | null }>(
      Prisma.sql`SELECT gate.delete_organization(${organizationId}::uuid, ${slug}, ${ANY_EXPORT_MS}::bigint) AS refusal`,
    );
    if (row?.refusal) throw new CommandError(REFUSALS[row.refusal] ?? "It was not deleted.");
    return `"${slug}" is deleted.`;
  });
}

/**
 * Sets or clears the networks from which an organization is reached, and returns them, one a line: the way back in where
 * a list has locked everybody out. Without --set and --clear it only shows them.
 */
export async function setAddressesCommand(args: string[]): Promise<string> {
  const { org, networks } = readOptions(args);
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, org);
    const saved = await db.withOrganization(organizationId, async (tx) => {
      if (networks) await setAddresses(tx, networks);
      return readAddresses(tx);
    });
    return saved.networks.join("\n");
  });
}

function readOptions(args: string[]): { org: string; networks: string[] | null } {
  const clears = args.includes("--clear");
  const { values } = read(
    args.filter((each) => each !== "--clear"),
    ["org", "set"],
  );
  const org = required(values.org, "--org");
  if (clears && values.set !== undefined) throw new UsageError("Give --set or --clear, not both.");
  if (clears) return { org, networks: [] };
  if (values.set === undefined) return { org, networks: null };
  const parsed = networksSchema.safeParse(values.set.split(/[\s,]+/).filter(Boolean));
  if (!parsed.success) throw new UsageError(`--set: ${parsed.error.issues[0]?.message}.`);
  if (parsed.data.length === 0) throw new UsageError("--set: name a network, or use --clear.");
  return { org, networks: parsed.data };
}
