/** Servers with excessive tool lists and descriptions: limits on the stored probe results. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { organizationForFile } from "../../test/fixtures/organization-for-file.ts";
import { type Act, startHostileServer } from "../../test/servers/hostile-server.ts";
import { createNetwork } from "../base/network/network.ts";
import { TOOL_NAME_CHARACTERS, TOOL_PAGES, TOOL_TEXT_CHARACTERS, TOOLS } from "../mcp/limits.ts";
import { addServer } from "./check.ts";
import { readKeptTools } from "./server-reads.ts";

const MEGABYTE = 1024 * 1024;
const network = createNetwork({ allowHosts: ["127.0.0.1"], denyPorts: [] });
const fixture = organizationForFile([]);
let hits = 0;
const trap = createServer((_, response) => {
  hits++;
  response.end("{}");
});

beforeAll(async () => {
  await new Promise<void>((resolve) => trap.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  await network.close();
  trap.close();
});

const tool = (name: string, more = {}) => ({ name, inputSchema: { type: "object" }, ...more });
const listing =
  (page: (cursor: string | undefined) => object): Act =>
  ({ message, reply }) => {
    if (message.method !== "tools/list") return false;
    reply(page(message.params.cursor));
    return true;
  };
const deep = (levels: number) =>
  JSON.parse(`${'{"properties":{"a":'.repeat(levels)}{}${"}}".repeat(levels)}`);

/** Adds the server as an admin would, and returns the stored row and tools. */
async function added(act: Act, era: "2025-11-25" | "2026-07-28") {
  const server = await startHostileServer(act);
  const { organizationId } = fixture;
  const services = { db: fixture.database, network, seal: fixture.seal };
  const input = { name: `${era} ${server.url}`, url: server.url, era, auth: { kind: "none" as const } };
  const { id } = await addServer(services, fixture.operator, input);
  await server.close();
  const row = await fixture.within((tx) => tx.server.findFirstOrThrow({ where: { organizationId, id } }));
  const kept = await fixture.within((tx) => readKeptTools(tx, id));
  return {
    row,
    tools: kept?.tools ?? null,
    lists: server.seen.filter(({ method }) => method === "tools/list").length,
  };
}

describe.each(["2025-11-25", "2026-07-28"] as const)("a server of %s lists", (era) => {
  test("10,000 tools: a thousand are kept", async () => {
    const tools = Array.from({ length: 10_000 }, (_, at) => ({ name: `t${at}` }));
    const { row, tools: kept } = await added(
      listing(() => ({ tools })),
      era,
    );
    expect(row.healthState).toBe("ok");
    expect(kept).toHaveLength(TOOLS);
  });

  test("tools with names, texts and schemas of megabytes: those are left out or cut", async () => {
    const { tools } = await added(
      listing(() => ({
        tools: [
          tool("n".repeat(MEGABYTE)),
          tool("texts", { title: "t".repeat(MEGABYTE), description: "d".repeat(MEGABYTE) }),
          tool("schema", { inputSchema: { type: "object", description: "s".repeat(MEGABYTE) } }),
          tool("plain"),
        ],
      })),
      era,
    );
    expect(tools?.map(({ name }) => name)).toEqual(["texts", "plain"]);
    for (const { name, title, description } of tools ?? []) {
      expect(name.length).toBeLessThanOrEqual(TOOL_NAME_CHARACTERS);
      for (const text of [title, description])
        expect(text?.length ?? 0).toBeLessThanOrEqual(TOOL_TEXT_CHARACTERS + 1);
    }
  });

  test("pages without end: some are read", async () => {
    let page = 0;
    const { lists, tools } = await added(
      listing(() => ({ tools: [tool(`t${page}`)], nextCursor: `c${page++}` })),
      era,
    );
    expect(lists).toBe(TOOL_PAGES);
    expect(tools).toHaveLength(TOOL_PAGES);
  });

  test("pages in a circle: it is left where it begins again", async () => {
    const { lists } = await added(
      listing(() => ({ tools: [], nextCursor: "again" })),
      era,
    );
    expect(lists).toBe(2);
  });

  test("a schema nested beyond reason: the list makes no sense, in our own words", async () => {
    const { row } = await added(
      listing(() => ({ tools: [tool("deep", { inputSchema: deep(1_000) })] })),
      era,
    );
    expect([row.healthState, row.healthMessage]).toEqual([
      "failing",
      "The server does not answer as an MCP server.",
    ]);
  });

  test("schemas that refer to the network, to files and to themselves: nothing is fetched", async () => {
    const trapUrl = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/schema`;
    const names = [trapUrl, "file:///etc/passwd", "#", "#/properties/a"];
    const tools = names.map(($ref, at) =>
      tool(`t${at}`, {
        inputSchema: { $schema: trapUrl, type: "object", properties: { a: { $ref } } },
        icons: [{ src: trapUrl }],
      }),
    );
    const { row, tools: kept } = await added(
      listing(() => ({ tools })),
      era,
    );
    expect(row.healthState).toBe("ok");
    expect(kept).toHaveLength(names.length);
    expect(hits).toBe(0);
  });

  test("names that deceive, and names of objects' own: kept as texts", async () => {
    const names = ["__proto__", "constructor", "<script>alert(1)</script>", "\u202Eevil", "a\u0000b"];
    const { tools } = await added(
      listing(() => ({
        tools: names.map((name) =>
          tool(name, { inputSchema: JSON.parse('{"type":"object","__proto__":{"a":1}}') }),
        ),
      })),
      era,
    );
    // The last one would be another tool's name once it was kept.
    expect(tools?.map(({ name }) => name)).toEqual(names.slice(0, -1));
    expect(({} as { a?: number }).a).toBeUndefined();
  });

  test("and says of itself, a megabyte: that is left out", async () => {
    const { row } = await added(({ message, reply, result }) => {
      if (message.method !== "initialize" && message.method !== "server/discover") return false;
      const huge = { blob: "x".repeat(MEGABYTE) };
      reply({ ...result, capabilities: huge, serverInfo: huge, instructions: "i".repeat(MEGABYTE) });
      return true;
    }, era);
    expect(row.healthState).toBe("ok");
    expect(JSON.stringify(row.capabilities).length).toBeLessThan(1_000);
  });
});
