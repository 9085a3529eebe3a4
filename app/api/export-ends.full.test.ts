/** An export lasts as long as its reader takes. Nobody goes on reading with what has ended meanwhile. */
import { beforeAll, describe, expect, test } from "vitest";
import { insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
let acme: string;

const sql = (text: string, values: unknown[]) => web.database.sql(text, values);

/** More than the pieces that are read ahead. */
beforeAll(async () => {
  acme = await web.organization("acme-export-ends");
  const task = await insertTask(web.db, acme, await insertServer(web.db, acme));
  await sql(
    `INSERT INTO task SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid()))).*
      FROM task t, generate_series(1, 2500) WHERE t.id = $1`,
    [task],
  );
  await web.db.withOrganization(
    acme,
    (tx) => tx.$executeRaw`SELECT append_events((SELECT jsonb_agg(jsonb_build_object('type', 'view.shared',
      'actor', '{"kind": "system", "id": null, "name": "Test"}'::jsonb, 'data', '{}'::jsonb))
      FROM generate_series(1, 5000)))`,
  );
});

/** Reads on to the end. */
async function rest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  for (;;) if ((await reader.read()).done) return "the whole";
}
const begin = async (path: string, who: { cookie?: string; key?: string }) => {
  const response = await web.open("GET", `/api/v1${path}`, who);
  expect(response.status).toBe(200);
  const reader = response.body!.getReader();
  await reader.read();
  return reader;
};

describe.each(["/tasks/export", "/tasks/export?format=csv", "/events/export", "/organization/export"])(
  "%s",
  (path) => {
    test("ends with the key that it began with", async () => {
      const key = await web.key(acme, "owner");
      expect(await rest(await begin(path, { key }))).toBe("the whole");
      const reader = await begin(path, { key });
      await sql("UPDATE api_key SET revoked_at = now() WHERE organization_id = $1", [acme]);
      await expect(rest(reader)).rejects.toThrow();
    });

    test("ends with the session, and with the membership", async () => {
      const olga = await web.member(acme, `Olga ${path}`, "owner");
      const signedOut = await begin(path, olga);
      await sql("UPDATE session SET revoked_at = now() WHERE user_id = $1", [olga.userId]);
      await expect(rest(signedOut)).rejects.toThrow();
      const again = await begin(path, { cookie: await web.signIn(olga.userId) });
      await sql("DELETE FROM membership WHERE organization_id = $1 AND user_id = $2", [acme, olga.userId]);
      await expect(rest(again)).rejects.toThrow();
    });

    test("ends when its reader is made less", async () => {
      const otto = await web.member(acme, `Otto ${path}`, "owner");
      const reader = await begin(path, otto);
      await sql("UPDATE membership SET role = 'viewer' WHERE organization_id = $1 AND user_id = $2", [
        acme,
        otto.userId,
      ]);
      await expect(rest(reader)).rejects.toThrow();
    });
  },
);

test("a piece of the whole export ends by its bytes, however many rows it could have", async () => {
  const heavy = await web.organization("heavy-export");
  const task = await insertTask(web.db, heavy, await insertServer(web.db, heavy));
  await sql(
    `INSERT INTO task SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(),
        'result', jsonb_build_object('text', repeat('x', 1500000))))).*
      FROM task t, generate_series(1, 6) WHERE t.id = $1`,
    [task],
  );
  const response = await web.open("GET", "/api/v1/organization/export", {
    key: await web.key(heavy, "owner"),
  });
  const sizes: number[] = [];
  for await (const piece of response.body!) sizes.push(piece.byteLength);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(9_000_000);
  expect(Math.max(...sizes)).toBeLessThan(4_000_000);
});
