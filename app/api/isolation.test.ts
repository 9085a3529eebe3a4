/** Every call of the API description, with another organization's ids in every place that takes an id. */
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { uuidv7 } from "@/lib/base/ids.ts";
import { expectFound, type Names, namesOf, send } from "@/test/guards/caller.ts";
import { startDescribedWeb } from "@/test/guards/described.ts";
import { picture } from "@/test/guards/digest.ts";
import { EXCEPTIONS } from "@/test/guards/exceptions.ts";
import type { Operation, Slot } from "@/test/guards/operations.ts";
import { statementsOf } from "@/test/guards/statements.ts";
import {
  CREDENTIAL_KINDS,
  type Credential,
  createTenantFixture,
  credentialOf,
  type TenantFixture,
  tenantFor,
} from "@/test/guards/tenant-fixture.ts";
import { sharedNames, walkUnchanged } from "@/test/guards/walk.ts";

const { web, operations: all } = await startDescribedWeb();
let admin: pg.Client;
let acme: TenantFixture;
let globex: TenantFixture;
let oursOf: ReturnType<typeof sharedNames>;
let theirsOf: ReturnType<typeof sharedNames>;

beforeAll(async () => {
  acme = await createTenantFixture(web, "acme-isolated");
  globex = await createTenantFixture(web, "globex-isolated");
  oursOf = sharedNames((operation) => acme.things("owner", operation));
  theirsOf = sharedNames((operation) => globex.things("owner", operation));
  admin = new pg.Client({ connectionString: web.database.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await web.stop();
});

const operations = all.filter(({ access }) => access !== "none");
const withIds = operations.flatMap((operation) =>
  operation.slots.map((slot) => ({ name: `${operation.name}, ${slot.place}`, operation, slot })),
);

test("every id that a call takes is of a kind that can be made, and no exception is of a call that is gone", () => {
  const unknown = all.flatMap((operation) => operation.unknown.map((place) => `${operation.name}: ${place}`));
  expect(unknown, "name the kind in test/guards/kinds.ts, and make one in things.ts").toEqual([]);
  const names = all.map(({ name }) => name);
  expect(Object.keys(EXCEPTIONS).filter((name) => !names.includes(name))).toEqual([]);
});

describe("an id of another organization's", () => {
  /** Calls that were made before: some statements are sent once a process. */
  const isWarm = new Set<string>();

  test.each(CREDENTIAL_KINDS)(
    "in a call with a %s: is answered as one that never was, by the same statements, and changes nothing",
    async (kind) => {
      const credential = credentialOf(globex, "owner", kind);
      await walkUnchanged<(typeof withIds)[number], { ours: Names; theirs: Names }>(withIds, {
        prepare: async ({ operation }, isAlone) => ({
          ours: await oursOf(operation, isAlone),
          theirs: await theirsOf(operation, isAlone),
        }),
        async take({ operation, slot }, { ours, theirs }) {
          const call = (id: string, { questionHash } = theirs) =>
            send(web, operation, credential, {
              id: (each) => (each.place === slot.place ? id : theirs.id(each)),
              questionHash,
            });
          const foreignId = ours.id(slot);
          const unknownId = uuidv7();
          if (!isWarm.has(operation.name)) await call(uuidv7());
          isWarm.add(operation.name);
          let [unknown, asked] = await statementsOf(() => call(unknownId));
          let [foreign, askedOfForeign] = await statementsOf(() => call(foreignId, ours));
          // Every so many calls one counts for those to come, and goes another way to the database: this was that one.
          if (asked.filter(isNoCount).join() !== askedOfForeign.filter(isNoCount).join()) {
            [unknown, asked] = await statementsOf(() => call(unknownId));
            [foreign, askedOfForeign] = await statementsOf(() => call(foreignId, ours));
          }
          const status = expectedOf(operation, slot, credential) ?? unknown.status;
          expect(foreign.status, foreign.text).toBe(status);
          expect(comparable(foreign.text, foreignId)).toBe(comparable(unknown.text, unknownId));
          expect(foreign.text).not.toContain(acme.canary);
          if (slot.place.startsWith("path.")) expect((await call("not-an-id")).status).toBe(404);
          expect(askedOfForeign.filter(isNoCount)).toEqual(asked.filter(isNoCount));
        },
        look: () => picture(admin, acme.organizationId),
      });
    },
  );
});

describe("a call of one's own", () => {
  test("finds what it names, and changes and tells nothing of another organization's", async () => {
    const sharedByReads = sharedNames((operation) => acme.things("owner", operation));
    await globex.things("owner").id("request");
    await walkUnchanged(operations, {
      prepare: async () => {},
      // The things are made here, since calls before this one may end some of them.
      async take(operation) {
        const one = await tenantFor(web, acme, operation);
        const names =
          operation.method === "GET"
            ? await sharedByReads(operation)
            : await namesOf(operation, one.things("owner", operation));
        const reply = await send(web, operation, one.people.owner, names);
        expectFound(reply, operation);
        for (const word of [globex.canary, globex.organizationId]) expect(reply.text).not.toContain(word);
      },
      look: () => picture(admin, globex.organizationId),
    });
  });

  test("that reads changes nothing at all", () =>
    walkUnchanged<Operation, Names>(
      operations.filter(({ name, method }) => method === "GET" && !EXCEPTIONS[name]?.leavesTrace),
      {
        prepare: sharedNames((operation) => acme.things("owner", operation)),
        take: async (operation, names) =>
          expectFound(await send(web, operation, acme.people.owner, names), operation),
        look: () => picture(admin),
      },
    ));
});

describe("without row security, the statements alone", () => {
  beforeAll(() => switchRowSecurity("DISABLE"));
  afterAll(() => switchRowSecurity("ENABLE"));

  test("find nothing under an id of another organization's, and change nothing of it", async () => {
    const credential = credentialOf(globex, "owner", "session");
    await walkUnchanged<(typeof withIds)[number], { ours: Names; theirs: Names }>(withIds, {
      prepare: async ({ operation }, isAlone) => ({
        ours: await oursOf(operation, isAlone),
        theirs: await theirsOf(operation, isAlone),
      }),
      async take({ operation, slot }, { ours, theirs }) {
        const call = (id: string) =>
          send(web, operation, credential, {
            id: (each) => (each.place === slot.place ? id : theirs.id(each)),
            questionHash: ours.questionHash,
          });
        const unknown = await call(uuidv7());
        const foreign = await call(ours.id(slot));
        expect(foreign.status, foreign.text).toBe(unknown.status);
        expect(foreign.text).not.toContain(acme.canary);
      },
      look: () => picture(admin, acme.organizationId),
    });
  });

  test("list nothing of another organization's", async () => {
    const reads = operations.filter(({ name, method }) => method === "GET" && !EXCEPTIONS[name]?.leavesTrace);
    await walkUnchanged<Operation, Names>(reads, {
      prepare: sharedNames((operation) => acme.things("owner", operation)),
      async take(operation, names) {
        const { text } = await send(web, operation, acme.people.owner, names);
        for (const word of [globex.canary, globex.organizationId]) expect(text).not.toContain(word);
      },
      look: () => picture(admin, globex.organizationId),
    });
  });
});

/** Of all tables of this worker's database. */
async function switchRowSecurity(to: "DISABLE" | "ENABLE"): Promise<void> {
  const { rows } = await admin.query<{ name: string }>(`SELECT DISTINCT c.oid::regclass::text AS name
    FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid`);
  for (const { name } of rows) await admin.query(`ALTER TABLE ${name} ${to} ROW LEVEL SECURITY`);
}

/** Undefined: as for an unknown id, whatever that is; a filter by what is not there finds nothing. */
function expectedOf({ name }: Operation, { place }: Slot, { key }: Credential): number | undefined {
  if (key && EXCEPTIONS[name]?.membersOnly) return 403;
  if (place.startsWith("path.")) return 404;
  if (place.startsWith("body.")) return EXCEPTIONS[name]?.foreignInBody?.status ?? 404;
  return undefined;
}

/** A response without the parts that differ from call to call. */
function comparable(text: string, id: string): string {
  return text.replaceAll(id, "the id").replace(/"request(?:Id|_id)":"[^"]*"/, "");
}

/** Calls are counted in chunks, and the use of a key or session is written down once a minute, whatever the path. */
const isNoCount = (statement: string) =>
  !/gate\.(take_calls|sweep_throttle|note_key_use|note_session_use)/.test(statement);
