import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startWeb, type TestWeb } from "@/test/web.ts";

let web: TestWeb;
let acme: string;

beforeAll(async () => {
  web = await startWeb();
  acme = await web.organization("acme");
});
afterAll(() => web.stop());

const PATH = "/api/v1/me/preferences";

describe("preferences", () => {
  test("are a member's own, and only what is named changes", async () => {
    const ben = await web.member(acme, "Ben", "viewer");
    const cleo = await web.member(acme, "Cleo", "viewer");
    const change = async (body: object) => (await web.call("PATCH", PATH, { cookie: ben.cookie, body })).body;
    expect(await change({ tourSeen: true })).toEqual({
      singleKeys: true,
      tourSeen: true,
      density: "comfortable",
    });
    expect(await change({ singleKeys: false, density: "compact" })).toEqual({
      singleKeys: false,
      tourSeen: true,
      density: "compact",
    });
    const read = async (cookie: string) => (await web.call("GET", PATH, { cookie })).body;
    expect(await read(ben.cookie)).toEqual({ singleKeys: false, tourSeen: true, density: "compact" });
    expect(await read(cleo.cookie)).toEqual({ singleKeys: true, tourSeen: false, density: "comfortable" });
  });

  test("of nothing, or of something else, are refused", async () => {
    const { cookie } = await web.member(acme, "Dora", "owner");
    for (const body of [{}, { singleKeys: "no" }, { density: "tiny" }, { role: "owner" }])
      expect((await web.call("PATCH", PATH, { cookie, body })).status).toBe(422);
  });

  test("are not an API key's, and not a stranger's", async () => {
    const key = await web.key(acme, "owner");
    expect((await web.call("GET", PATH, { key })).status).toBe(403);
    expect((await web.call("PATCH", PATH, { key, body: { tourSeen: true } })).status).toBe(403);
    expect((await web.call("GET", PATH)).status).toBe(401);
  });
});
