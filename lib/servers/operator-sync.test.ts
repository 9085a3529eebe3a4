import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { insertServer, insertTask } from "../../test/fixtures/rows.ts";
import { databaseForFile } from "../../test/for-file.ts";
import { createDatabase, type Database, type Tx } from "../base/db/db.ts";
import { uuidv7 } from "../base/ids.ts";
import { createNetwork } from "../base/network/network.ts";
import { createSeal } from "../base/seal.ts";
import { verifyEvents } from "../history/events/verify.ts";
import { createOrganization } from "../people/organizations/organization-writes.ts";
import { endpointOf } from "./connections/connection-reads.ts";
import { EntryGone, type OperatorServers, parseServersFile } from "./operator-file.ts";
import { giveOperatorServers, syncOperatorServers } from "./operator-sync.ts";
import { recipeSchema } from "./recipes/recipe-schema.ts";
import { removeRecipe, saveRecipe } from "./recipes/recipe-writes.ts";

const postgres = databaseForFile();
let owner: Database;
let again: Database;
/** Created anew for each test. */
let acme: { id: string; slug: string };
let globex: { id: string; slug: string };
let made = 0;

beforeAll(async () => {
  owner = createDatabase(postgres.ownerUrl, { connections: 2 });
  again = createDatabase(postgres.ownerUrl, { connections: 2 });
});
afterAll(async () => {
  await owner.close();
  await again.close();
});
beforeEach(async () => {
  made++;
  acme = await createNamed(`acme-${made}`);
  globex = await createNamed(`globex-${made}`);
});

async function createNamed(slug: string) {
  const id = uuidv7();
  await owner.withOrganization(id, (tx) => createOrganization(tx, { slug, name: slug }));
  return { id, slug };
}

const parse = (mcpServers: object): OperatorServers => parseServersFile(JSON.stringify({ mcpServers }));

const ledger = (...organizations: { slug: string }[]) => ({
  command: "ledger",
  env: { TOKEN: "s3cret" },
  organizations: organizations.map(({ slug }) => slug),
});
const erp = (...organizations: { slug: string }[]) => ({
  name: "Finance ERP",
  url: "https://erp.example/mcp?key=s3cret",
  headers: { "X-Key": "s3cret" },
  era: "2025-11-25",
  organizations: organizations.map(({ slug }) => slug),
});

const serversOf = ({ id: organizationId }: { id: string }) =>
  owner.withOrganization(organizationId, (tx) =>
    tx.server.findMany({ where: { organizationId, removedAt: null }, orderBy: { operatorEntry: "asc" } }),
  );

const linesOf = ({ id: organizationId }: { id: string }) =>
  owner.withOrganization(organizationId, async (tx) => {
    const lines = await tx.event.findMany({ where: { organizationId }, orderBy: { seq: "asc" } });
    return lines.map((line) => line.type).slice(1);
  });

const outcomes = async (servers: OperatorServers, { slug }: { slug: string } = acme) => {
  const { synced } = await syncOperatorServers(owner, servers);
  return synced.filter((one) => one.organization === slug).map(({ entry, outcome }) => [entry, outcome]);
};

/** Returns the endpoint of an entry's row, for a process that has read `servers`. */
const endpointFor = async (
  organization: { id: string; slug: string },
  servers: OperatorServers,
  entry: string,
) => {
  const server = (await serversOf(organization)).find((one) => one.operatorEntry === entry);
  if (!server) throw new Error("there is no such server");
  const address = {
    organizationId: organization.id,
    slug: organization.slug,
    connectionId: uuidv7(),
    userId: null,
    url: server.url,
    authKind: "none",
    sealedCredentials: null,
    operatorEntry: entry,
  };
  const services = {
    db: owner,
    network: createNetwork({ allowHosts: [], denyPorts: [] }),
    seal: createSeal([{ kid: "k", key: Buffer.alloc(32) }]),
  };
  return endpointOf(address, services, servers);
};

test("each organization that an entry names gets a server with a shared connection, and no other one does", async () => {
  const other = await createNamed(`initech-${made}`);
  const servers = parse({ ledger: ledger(acme), erp: erp(acme, globex) });
  await syncOperatorServers(owner, servers);
  expect(await serversOf(acme)).toMatchObject([
    { operatorEntry: "erp", name: "Finance ERP", url: "https://erp.example/mcp", era: "2025-11-25" },
    { operatorEntry: "ledger", name: "ledger", url: "command:ledger", eraSetting: "auto", era: null },
  ]);
  expect((await serversOf(globex)).map((server) => server.operatorEntry)).toEqual(["erp"]);
  expect(await serversOf(other)).toEqual([]);
  const shared = await owner.withOrganization(acme.id, (tx) =>
    tx.connection.count({ where: { organizationId: acme.id, userId: null, sealedCredentials: null } }),
  );
  expect(shared).toBe(2);
});

test("no secret of the file comes into the database", async () => {
  await syncOperatorServers(owner, parse({ ledger: ledger(acme), erp: erp(acme) }));
  const rows = await owner.withOrganization(acme.id, async (tx) => [
    await tx.server.findMany(),
    await tx.connection.findMany({ select: { sealedCredentials: true, logTail: true } }),
    await tx.event.findMany({ select: { data: true, actor: true } }),
  ]);
  expect(JSON.stringify(rows)).not.toContain("s3cret");
});

test("run again, and four times at once, it makes one server an entry and one line of history", async () => {
  const servers = parse({ ledger: ledger(acme), erp: erp(acme, globex) });
  await Promise.all([owner, again, owner, again].map((db) => syncOperatorServers(db, servers)));
  expect(await outcomes(servers)).toEqual([
    ["ledger", "unchanged"],
    ["erp", "unchanged"],
  ]);
  expect((await serversOf(acme)).length).toBe(2);
  expect(await linesOf(acme)).toEqual(["server.created", "server.created"]);
  expect(await linesOf(globex)).toEqual(["server.created"]);
  const chain = await verifyEvents((work) => owner.withOrganization(acme.id, work));
  expect(chain.ok).toBe(true);
});

test("a changed entry changes its row, and what was found about the old one is forgotten", async () => {
  await syncOperatorServers(owner, parse({ erp: erp(acme) }));
  const changed = { ...erp(acme), url: "https://new.example/mcp", era: "auto" };
  expect(await outcomes(parse({ erp: changed }))).toEqual([["erp", "updated"]]);
  expect(await serversOf(acme)).toMatchObject([
    { name: "Finance ERP", url: "https://new.example/mcp", eraSetting: "auto", era: null },
  ]);
  expect(await linesOf(acme)).toEqual(["server.created", "server.updated"]);
});

test.each([
  ["the entry is gone", () => parse({})],
  ["the organization is no longer named", () => parse({ erp: erp(globex) })],
  ["the entry is disabled", () => parse({ erp: { ...erp(acme), disabled: true } })],
])("where %s, the server is taken out of use", async (_what, servers) => {
  await syncOperatorServers(owner, parse({ erp: erp(acme) }));
  const own = await insertServer(owner, acme.id);
  expect(await outcomes(servers())).toEqual([["erp", "removed"]]);
  expect((await serversOf(acme)).map(({ id }) => id)).toEqual([own.id]);
  expect(await linesOf(acme)).toEqual(["server.created", "server.removed"]);
  // Named again, it is a new one.
  expect(await outcomes(parse({ erp: erp(acme) }))).toEqual([["erp", "created"]]);
});

test("with an open task it stays, unreachable, until the task has ended, or until the entry is back", async () => {
  const servers = parse({ ledger: ledger(acme) });
  await syncOperatorServers(owner, servers);
  const [server] = await serversOf(acme);
  const connection = await owner.withOrganization(acme.id, (tx) =>
    tx.connection.findFirstOrThrow({ where: { organizationId: acme.id } }),
  );
  const taskId = await insertTask(owner, acme.id, { id: server!.id, connectionId: connection.id });

  expect(await outcomes(parse({}))).toEqual([["ledger", "in_use"]]);
  expect(await outcomes(parse({}))).toEqual([["ledger", "in_use"]]);
  expect(await serversOf(acme)).toMatchObject([
    {
      id: server!.id,
      healthState: "unreachable",
      healthMessage: "The operator has removed this server's entry.",
    },
  ]);
  expect(await outcomes(servers)).toEqual([["ledger", "updated"]]);
  expect(await serversOf(acme)).toMatchObject([{ id: server!.id, healthState: "ok", healthMessage: null }]);

  await owner.withOrganization(acme.id, (tx) =>
    tx.task.updateMany({
      where: { organizationId: acme.id, id: taskId },
      data: { state: "completed", watched: false, finishedAt: new Date() },
    }),
  );
  expect(await outcomes(parse({}))).toEqual([["ledger", "removed"]]);
  expect(await serversOf(acme)).toEqual([]);
});

test("an organization that is not there is a warning, and gets its servers when it is made", async () => {
  const later = { slug: `later-${made}` };
  const servers = parse({ ledger: ledger(acme, later) });
  const { unknownOrganizations } = await syncOperatorServers(owner, servers);
  expect(unknownOrganizations).toEqual([{ organization: later.slug, entry: "ledger" }]);
  const id = uuidv7();
  await owner.withOrganization(id, async (tx) => {
    await createOrganization(tx, { slug: later.slug, name: "Later" });
    await giveOperatorServers(tx, later.slug, servers);
  });
  expect((await serversOf({ id })).map((server) => server.operatorEntry)).toEqual(["ledger"]);
  expect(await outcomes(servers, later)).toEqual([["ledger", "unchanged"]]);
});

test("a row alone grants nothing: the file must give its entry to the row's own organization", async () => {
  const both = parse({ ledger: ledger(acme, globex) });
  await syncOperatorServers(owner, both);
  expect(await endpointFor(globex, both, "ledger")).toEqual({
    command: "ledger",
    args: [],
    env: { TOKEN: "s3cret" },
  });
  const acmeOnly = parse({ ledger: ledger(acme) });
  await expect(endpointFor(globex, acmeOnly, "ledger")).rejects.toThrow(EntryGone);
  await expect(endpointFor(acme, parse({}), "ledger")).rejects.toMatchObject({
    code: "address_not_allowed",
    reached: "no",
  });
});

test("recipes are those of the file: made, changed, taken away, and changed by nobody else", async () => {
  const recipe = (name: string, title: string) => ({
    name,
    title,
    start: { tool: "submit", handle: "result.text" },
    status: { tool: "look", state: "result.text", completed: ["DONE"] },
  });
  const withRecipes = (...recipes: object[]) => parse({ ledger: { ...ledger(acme), recipes } });
  const versions = () =>
    owner.withOrganization(acme.id, async (tx) => {
      const rows = await tx.recipeVersion.findMany({
        where: { organizationId: acme.id },
        orderBy: [{ name: "asc" }, { version: "asc" }],
      });
      return rows.map(({ name, version, until }) => `${name} ${version}${until ? " over" : ""}`);
    });
  expect(await outcomes(withRecipes(recipe("a", "A"), recipe("b", "B")))).toEqual([["ledger", "created"]]);
  expect(await outcomes(withRecipes(recipe("a", "A"), recipe("b", "B")))).toEqual([["ledger", "unchanged"]]);
  expect(await outcomes(withRecipes(recipe("a", "Another")))).toEqual([["ledger", "updated"]]);
  expect(await versions()).toEqual(["a 1 over", "a 2", "b 1 over"]);
  expect(await linesOf(acme)).toEqual([
    "server.created",
    "recipe.created",
    "recipe.created",
    "recipe.removed",
    "recipe.changed",
  ]);
  const [server] = await serversOf(acme);
  const admin = { kind: "key", id: uuidv7(), name: "Admin" } as const;
  const input = { recipe: recipeSchema.parse(recipe("c", "C")) };
  for (const change of [
    (tx: Tx) => saveRecipe(tx, admin, server!.id, input),
    (tx: Tx) => removeRecipe(tx, admin, server!.id, "a"),
  ])
    await expect(owner.withOrganization<unknown>(acme.id, change)).rejects.toMatchObject({
      code: "defined_by_operator",
    });
});
