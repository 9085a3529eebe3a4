import { beforeAll, describe, expect, test } from "vitest";
import { LOCALES } from "@/lib/text/formats/locales.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
let acme: string;

beforeAll(async () => {
  acme = await web.organization("acme");
});

const PATH = "/api/v1/me/preferences";

describe("preferences", () => {
  test("are a member's own, and only what is named changes", async () => {
    const ben = await web.member(acme, "Ben", "viewer");
    const cleo = await web.member(acme, "Cleo", "viewer");
    const change = async (body: object) => (await web.call("PATCH", PATH, { cookie: ben.cookie, body })).body;
    const standard = { singleKeys: true, tourSeen: false, density: "comfortable", locale: null };
    expect(await change({ tourSeen: true })).toEqual({ ...standard, tourSeen: true });
    const own = { singleKeys: false, tourSeen: true, density: "compact", locale: "de-DE" };
    expect(await change({ singleKeys: false, density: "compact", locale: "de-DE" })).toEqual(own);
    const read = async (cookie: string) => (await web.call("GET", PATH, { cookie })).body;
    expect(await read(ben.cookie)).toEqual(own);
    expect(await read(cleo.cookie)).toEqual(standard);
    expect(await change({ locale: null })).toEqual({ ...own, locale: null });
  });

  test("every locale on offer can be chosen", async () => {
    const { cookie } = await web.member(acme, "Edda", "viewer");
    for (const locale of Object.keys(LOCALES))
      expect((await web.call("PATCH", PATH, { cookie, body: { locale } })).body).toMatchObject({ locale });
  });

  test("of nothing, or of something else, are refused", async () => {
    const { cookie } = await web.member(acme, "Dora", "owner");
    for (const body of [
      {},
      { singleKeys: "no" },
      { density: "tiny" },
      { locale: "xx-XX" },
      { role: "owner" },
    ])
      expect((await web.call("PATCH", PATH, { cookie, body })).status).toBe(422);
  });

  test("are not an API key's, and not a stranger's", async () => {
    const key = await web.key(acme, "owner");
    expect((await web.call("GET", PATH, { key })).status).toBe(403);
    expect((await web.call("PATCH", PATH, { key, body: { tourSeen: true } })).status).toBe(403);
    expect((await web.call("GET", PATH)).status).toBe(401);
  });
});
