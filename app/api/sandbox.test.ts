/** A sandbox organization with the sample servers, which the operator asks for and `npm start` makes. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { uuidv7 } from "@/lib/base/ids.ts";
import { writeSandbox } from "@/lib/people/sandbox/sandbox-file.ts";
import { seedSandbox } from "@/prisma/seed-demo.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile(() => ({ INTRAY_SANDBOX_FILE: file }));
let acme: string;
let olga: { cookie: string; userId: string };
const folder = mkdtempSync(join(tmpdir(), "sandbox-"));
const file = join(folder, "sandbox");

beforeAll(async () => {
  acme = await web.organization("acme");
  await web.database.sql("UPDATE organization SET set_up = true WHERE id = $1", [acme]);
  olga = await web.member(acme, "Olga", "owner");
});
beforeEach(() => rmSync(file, { force: true }));
afterAll(async () => {
  rmSync(folder, { recursive: true });
});

type Who = { cookie?: string; key?: string };
const read = async (who: Who = olga) => (await web.call("GET", "/api/v1/sandbox", who)).body;
const ask = (who: Who = olga) => web.call("POST", "/api/v1/sandbox", who);
/** As `npm start` follows a press. */
const make = () =>
  seedSandbox(web.database.ownerUrl, file, {
    invoiceUrl: "http://127.0.0.1:1",
    tunnelUrl: "http://127.0.0.1:2",
  });

test("the operator asks once, and owns an organization with the sample servers alone", async () => {
  expect(await read()).toEqual({ state: "none", organizationId: null });
  expect((await ask()).body).toEqual({ state: "preparing", organizationId: null });
  expect((await ask()).body.state).toBe("preparing");
  await make();
  const { state, organizationId } = await read();
  expect(state).toBe("ready");
  // A later start finds it as it is.
  await make();
  expect(await read()).toEqual({ state, organizationId });
  const rows = (table: string) =>
    web.database.sql(`SELECT * FROM ${table} WHERE organization_id = $1`, [organizationId]);
  expect((await rows("server")).map(({ name }) => name).sort()).toEqual(["Accounts payable", "Finance ERP"]);
  expect(await rows("membership")).toMatchObject([{ user_id: olga.userId, role: "owner" }]);
  const own = await web.call("GET", "/api/v1/organizations", olga);
  expect(own.body.items.map(({ name }: { name: string }) => name)).toEqual(["acme", "Sandbox"]);
  // The real organization has nothing of it.
  expect((await web.call("GET", "/api/v1/servers", olga)).body.items).toEqual([]);
});

test("a sandbox that was deleted is not made again, until somebody asks", async () => {
  await ask();
  await make();
  const first = (await read()).organizationId;
  await web.database.sql("DELETE FROM membership WHERE organization_id = $1", [first]);
  expect((await read()).state).toBe("none");
  expect((await ask()).body.state).toBe("preparing");
  await make();
  const second = (await read()).organizationId;
  expect(second).not.toBe(first);
  // As a start finds one that is gone.
  writeSandbox(file, { organizationId: uuidv7(), userId: olga.userId, isMade: true });
  await make();
  expect(existsSync(file)).toBe(false);
});

test("nobody but the operator asks", async () => {
  const other = await web.organization("other");
  const owner = await web.member(other, "Otto", "owner");
  const admin = await web.member(acme, "Ada", "admin");
  expect((await read(owner)).state).toBe("impossible");
  expect((await ask(owner)).body.code).toBe("defined_by_operator");
  expect((await ask(admin)).status).toBe(403);
  expect((await ask({ key: await web.key(acme, "owner") })).status).toBe(403);
  expect(existsSync(file)).toBe(false);
});
