/**
 * The demonstration's people, organizations and servers. Safe to run at every start: what is there stays, and only
 * the servers' address moves with the sample server's port. Ids are fixed, so that links to them last.
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { Principal } from "../lib/access/principal.ts";
import type { Role } from "../lib/access/roles.ts";
import { createDatabase, Prisma, type Tx } from "../lib/base/db/db.ts";
import { appendEvents } from "../lib/history/events/event-writes.ts";
import { addMember } from "../lib/people/members/member-writes.ts";
import { COMMAND_LINE, createOrganization } from "../lib/people/organizations/organization-writes.ts";
import { readSandbox, writeSandbox } from "../lib/people/sandbox/sandbox-file.ts";
import { recipeSchema } from "../lib/servers/recipes/recipe-schema.ts";
import { saveRecipe } from "../lib/servers/recipes/recipe-writes.ts";
import type { EraSetting } from "../lib/servers/server-schema.ts";

export interface Organization {
  id: string;
  slug: string;
  name: string;
  people: { n: number; name: string; role: Role }[];
  servers: DemoServer[];
}

interface DemoServer {
  n: number;
  name: string;
  era: EraSetting;
  /** It is the tunnelled invoice server, with its recipe; else the sample invoice server. */
  tunnelled?: true;
}

export const ACME: Organization = {
  id: fixedId(0x1000),
  slug: "acme",
  name: "Acme",
  people: [
    { n: 0x1001, name: "Ana", role: "owner" },
    { n: 0x1002, name: "Ola", role: "operator" },
    { n: 0x1003, name: "Ben", role: "approver" },
    { n: 0x1004, name: "Cleo", role: "approver" },
  ],
  servers: [
    { n: 0x1201, name: "Finance ERP", era: "auto" },
    { n: 0x1202, name: "Finance ERP (2025-11-25)", era: "2025-11-25" },
    { n: 0x1203, name: "Accounts payable", era: "auto", tunnelled: true },
  ],
};

export const GLOBEX: Organization = {
  id: fixedId(0x2000),
  slug: "globex",
  name: "Globex",
  people: [{ n: 0x2001, name: "Gus", role: "owner" }],
  servers: [{ n: 0x2201, name: "Finance ERP", era: "auto" }],
};

/** Where the sample servers listen. */
interface Urls {
  invoiceUrl: string;
  /** Without it, the demonstration has no tunnelled server. */
  tunnelUrl?: string;
}

/**
 * `ownerUrl` is the database owner's. `onFirst` is called before anything is written where none of it is there yet.
 */
export async function seedDemo(
  ownerUrl: string,
  { onFirst, ...urls }: Urls & { onFirst?: () => void },
): Promise<void> {
  const db = createDatabase(ownerUrl, { connections: 1 });
  try {
    const isThere = await db.withOrganization(ACME.id, (tx) =>
      tx.organization.count({ where: { id: ACME.id } }),
    );
    if (isThere === 0) onFirst?.();
    for (const organization of [ACME, GLOBEX]) {
      await db.withOrganization(organization.id, (tx) => seed(tx, organization, urls));
    }
  } finally {
    await db.close();
  }
}

const SANDBOX_SERVERS: DemoServer[] = [
  { n: 0x3201, name: "Finance ERP", era: "auto" },
  { n: 0x3203, name: "Accounts payable", era: "auto", tunnelled: true },
];

/**
 * Makes the sandbox organization that the file asks for, with the sample servers and the operator as its owner. One that
 * was deleted is not made again.
 */
export async function seedSandbox(ownerUrl: string, file: string, urls: Urls): Promise<void> {
  const sandbox = readSandbox(file);
  if (!sandbox) return;
  const { organizationId, userId, isMade } = sandbox;
  const db = createDatabase(ownerUrl, { connections: 1 });
  try {
    const isThere = await db.withOrganization(organizationId, async (tx) => {
      const found = await tx.organization.count({ where: { id: organizationId } });
      if (found === 0 && isMade) return false;
      if (found === 0) await makeSandbox(tx, userId);
      await seedServers(tx, SANDBOX_SERVERS, urls, userId);
      return true;
    });
    writeSandbox(file, isThere ? { ...sandbox, isMade: true } : null);
  } finally {
    await db.close();
  }
}

async function makeSandbox(tx: Tx, userId: string): Promise<void> {
  const [owner] = await tx.$queryRaw<
    { email: string; name: string }[]
  >`SELECT email, name FROM "user" WHERE id = ${userId}::uuid`;
  if (!owner) throw new Error("the sandbox's owner is gone");
  // An earlier sandbox may have the plain slug for days after somebody asked to delete it.
  await createOrganization(tx, { slug: `sandbox-${tx.organizationId.slice(-6)}`, name: "Sandbox" });
  await addMember(tx, COMMAND_LINE, { ...owner, role: "owner" });
}

async function seed(tx: Tx, organization: Organization, urls: Urls): Promise<void> {
  const { slug, name, people, servers } = organization;
  const made = await tx.$executeRaw`INSERT INTO organization (id, slug, name, demo)
    VALUES (${tx.organizationId}::uuid, ${slug}, ${name}, true) ON CONFLICT DO NOTHING`;
  for (const person of people) await seedPerson(tx, slug, person);
  await seedServers(tx, servers, urls, fixedId(people[0]?.n ?? 0));
  if (made === 0) return;
  await appendEvents(tx, [
    { type: "organization.created", actor: COMMAND_LINE, data: { slug, name, demo: true } },
  ]);
}

async function seedServers(tx: Tx, servers: DemoServer[], urls: Urls, ownerId: string): Promise<void> {
  for (const server of servers) {
    const at = server.tunnelled ? urls.tunnelUrl : urls.invoiceUrl;
    if (at === undefined) continue;
    const url = new URL("/mcp", at).href;
    await seedServer(tx, server, url, ownerId);
    if (server.tunnelled) await seedRecipe(tx, fixedId(server.n));
  }
}

async function seedPerson(
  tx: Tx,
  slug: string,
  { n, name, role }: Organization["people"][number],
): Promise<void> {
  const id = fixedId(n);
  await tx.$executeRaw`INSERT INTO "user" (id, email, name)
    VALUES (${id}::uuid, ${`${name.toLowerCase()}@${slug}.example`}, ${name}) ON CONFLICT DO NOTHING`;
  // In order of age, which is the order in which they are offered.
  await tx.$executeRaw`INSERT INTO membership (organization_id, id, user_id, role, created_at)
    VALUES (${tx.organizationId}::uuid, ${fixedId(n + 0x100)}::uuid, ${id}::uuid, ${role}, now() + ${n % 0x100} * interval '1 ms')
    ON CONFLICT DO NOTHING`;
}

/** With the shared connection that its tasks live on, authorised by the owner. */
async function seedServer(tx: Tx, { n, name, era }: DemoServer, url: string, ownerId: string): Promise<void> {
  const id = fixedId(n);
  const known = era === "auto" ? null : era;
  await tx.$executeRaw(Prisma.sql`INSERT INTO server (organization_id, id, name, url, era_setting, era, auth_kind, demo)
    VALUES (${tx.organizationId}::uuid, ${id}::uuid, ${name}, ${url}, ${era}, ${known}, 'none', true)
    ON CONFLICT (organization_id, id) DO UPDATE SET url = excluded.url WHERE server.url <> excluded.url`);
  await tx.$executeRaw`INSERT INTO connection (organization_id, id, server_id, authorized_by)
    VALUES (${tx.organizationId}::uuid, ${fixedId(n + 0x100)}::uuid, ${id}::uuid, ${ownerId}::uuid) ON CONFLICT DO NOTHING`;
}

/** The tunnelled server's own recipe, unless there ever was one of its name: what people made of it stays. */
async function seedRecipe(tx: Tx, serverId: string): Promise<void> {
  const file = new URL("../examples/tunnelled-invoice-server/recipe.json", import.meta.url);
  const recipe = recipeSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  const known = await tx.recipeVersion.count({
    where: { organizationId: tx.organizationId, serverId, name: recipe.name },
  });
  if (known === 0) await saveRecipe(tx, COMMAND_LINE, serverId, { recipe });
}

/** Who a person of the demonstration is to what they do. */
export function principalOf(organization: Organization, name: string): Principal {
  const person = organization.people.find((each) => each.name === name);
  if (!person) throw new Error(`${organization.name} has no ${name}`);
  const id = fixedId(person.n);
  return {
    organizationId: organization.id,
    userId: id,
    role: person.role,
    actor: { kind: "member", id, name },
  };
}

/** A UUIDv7 of 1 January 2026 that ends in `n`. */
export function fixedId(n: number): string {
  return `019b76da-a800-7000-8000-${n.toString(16).padStart(12, "0")}`;
}

if (import.meta.main) {
  const { DATABASE_URL: ownerUrl, INVOICE_URL: invoiceUrl } = process.env;
  const { TUNNEL_URL: tunnelUrl, DEMO_TASKS_MARK: mark, INTRAY_SANDBOX_FILE: sandbox } = process.env;
  if (!ownerUrl || !invoiceUrl) {
    process.stderr.write("Set DATABASE_URL to the database's owner and INVOICE_URL to the sample server.\n");
    process.exit(2);
  }
  const urls = { invoiceUrl, ...(tunnelUrl && { tunnelUrl }) };
  if (sandbox) await seedSandbox(ownerUrl, sandbox, urls);
  else
    await seedDemo(ownerUrl, {
      ...urls,
      ...(mark && { onFirst: () => writeFileSync(mark, "") }),
    });
}
