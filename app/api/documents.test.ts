/** Documents of requests, handed out by real servers of both eras and by commands, honest and hostile. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { uuidv7 } from "@/lib/base/ids.ts";
import type { Era } from "@/lib/mcp/peer.ts";
import { documentsSchema } from "@/lib/requests/documents/document-schema.ts";
import { operatorServers } from "@/lib/servers/operator-file.ts";
import { syncOperatorServers } from "@/lib/servers/operator-sync.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { type HostileServer, startHostileServer } from "@/test/servers/hostile-server.ts";
import { type OfficialServer, startOfficialServer } from "@/test/servers/official/official-server.ts";
import { startWeb, type TestWeb } from "@/test/web.ts";

const EVERYTHING = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/server-everything/dist/index.js",
);
const TEXT = "demo://resource/dynamic/text/1";
const PNG = Buffer.from("\x89PNG\r\n\x1a\n rest", "latin1").toString("base64");

let folder: string;
let web: TestWeb;
let acme: string;
let viewer: string;
let official: OfficialServer;
let hostile: HostileServer;
type Place = { id: string; connectionId: string };
let there: Place;

beforeAll(async () => {
  official = await startOfficialServer("everything");
  hostile = await startHostileServer();
  folder = await mkdtemp(join(tmpdir(), "intray-documents-"));
  const path = join(folder, "servers.json");
  const everything = { command: process.execPath, args: [EVERYTHING, "stdio"], organizations: ["acme"] };
  await writeFile(path, JSON.stringify({ mcpServers: { everything } }));
  web = await startWeb({
    INTRAY_SERVERS_FILE: path,
    INTRAY_ALLOW_HOSTS: `${official.hostAndPort},${hostile.hostAndPort}`,
  });
  acme = await web.organization("acme");
  viewer = await web.key(acme, "viewer");
  there = await serverOf(hostile.url, "2026-07-28");
});
beforeEach(() => {
  hostile.act = null;
  hostile.seen.length = 0;
});
afterAll(async () => {
  await web.stop();
  await official.stop();
  await hostile.close();
  await rm(folder, { recursive: true });
});

async function serverOf(url: string, era: Era): Promise<Place> {
  const server = await insertServer(web.db, acme, { url });
  await change(server.id, { era, eraSetting: era, capabilities: { resources: {} } });
  return server;
}

const change = (id: string, data: object) =>
  web.db.withOrganization(acme, (tx) => tx.server.updateMany({ where: { organizationId: acme, id }, data }));

/** A request of a task with these arguments. */
async function ask(
  args: object,
  more: { server?: Place; message?: string; visibility?: string; requester?: string } = {},
): Promise<string> {
  const { server = there, message = "Approve?", ...task } = more;
  const taskId = await insertTask(web.db, acme, server, { arguments: args, ...task });
  return (await insertRequest(web.db, acme, taskId, { message })).id;
}

/** Ends a request, so that there is nothing to decide any more. */
const over = (id: string) =>
  web.db.withOrganization(acme, (tx) =>
    tx.inputRequest.updateMany({
      where: { organizationId: acme, id },
      data: { state: "withdrawn", endedReason: "retracted", endedAt: new Date() },
    }),
  );

const list = async (id: string, who: { key?: string; cookie?: string } = { key: viewer }) => {
  const { status, body } = await web.call("GET", `/api/v1/input-requests/${id}/documents`, who);
  return { status, items: status === 200 ? documentsSchema.parse(body).items : [] };
};
const read = (id: string, documentId: string, who: { key?: string; cookie?: string } = { key: viewer }) =>
  web.open("GET", `/api/v1/input-requests/${id}/documents/${documentId}`, who);
/** Reads the only document of a new request. */
async function readOnly(args: object, more: Parameters<typeof ask>[1] = {}): Promise<Response> {
  const id = await ask(args, more);
  const { items } = await list(id);
  expect(items).toHaveLength(1);
  return read(id, items[0]?.id ?? "");
}
const codeOf = async (response: Response) => {
  const { code, detail } = await response.json();
  return [response.status, code, detail];
};
/** The server's answer to `resources/read`. */
const handOut = (part: object) => {
  hostile.act = ({ message, reply }) => {
    if (message.method !== "resources/read") return false;
    reply({ contents: [{ uri: message.params.uri, ...part }] });
    return true;
  };
};

describe("a document is read through the task's connection", () => {
  test("from an official server of 2025-11-25: text and bytes", async () => {
    const server = await serverOf(official.url, "2025-11-25");
    const text = await readOnly({ note: TEXT }, { server });
    expect([text.status, text.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    expect(await text.text()).toContain("Resource 1");
    const blob = await readOnly({ note: TEXT.replace("text", "blob") }, { server });
    expect(await blob.text()).toContain("Resource 1");
  });

  test("from a command", async () => {
    await syncOperatorServers(web.db, operatorServers());
    const command = await web.db.withOrganization(acme, (tx) =>
      tx.server.findFirstOrThrow({ where: { organizationId: acme, operatorEntry: "everything" } }),
    );
    const connection = await web.db.withOrganization(acme, (tx) =>
      tx.connection.findFirstOrThrow({ where: { organizationId: acme, serverId: command.id } }),
    );
    const server = { id: command.id, connectionId: connection.id };
    const response = await readOnly({ note: TEXT }, { server });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("Resource 1");
  });

  test("under a name with the judged type's ending", async () => {
    const memo = { type: "resource", resource: { uri: "note://Invoice.hta", text: "<script>" } };
    const { headers } = await readOnly({ memo });
    expect(headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''Invoice.hta.txt");
  });

  test.each<Era>(["2025-11-25", "2026-07-28"])("of %s, whose session is ended again", async (era) => {
    handOut({ mimeType: "image/png", blob: PNG });
    const server = await serverOf(hostile.url, era);
    const response = await readOnly(
      { scan: { type: "resource_link", uri: "erp://ü", name: "a/b.png" } },
      { server },
    );
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "image/png",
      "content-length": String(Buffer.from(PNG, "base64").length),
      "content-security-policy":
        "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox",
      "content-disposition": "attachment; filename*=UTF-8''a_b.png",
      "cache-control": "private, no-store",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
    });
    const asked = hostile.seen.find(({ method }) => method === "resources/read");
    expect(asked?.message.params).toMatchObject({ uri: "erp://ü" });
    const modern = { "mcp-method": "resources/read", "mcp-name": "=?base64?ZXJwOi8vw7w=?=" };
    expect(asked?.headers).toMatchObject(era === "2026-07-28" ? modern : { "mcp-protocol-version": era });
    expect(hostile.seen.some(({ method }) => method === "DELETE")).toBe(era === "2025-11-25");
  });
});

describe("the documents of a request", () => {
  test("come from its arguments, its message and results, and Intray asks nobody for a list of them", async () => {
    const related = await insertTask(web.db, acme, there, { state: "completed" });
    const content = [{ type: "resource", resource: { uri: "erp://quote", text: "A quote" } }];
    await web.db.withOrganization(acme, (tx) =>
      tx.task.updateMany({ where: { organizationId: acme, id: related }, data: { result: { content } } }),
    );
    const id = await ask({ file: "erp://bill", quote_task: related }, { message: "Approve erp://terms?" });
    const { items } = await list(id);
    expect(items.map(({ uri, from, kept }) => [uri, from, kept])).toEqual([
      ["erp://bill", "arguments", "server"],
      ["erp://terms", "message", "server"],
      ["erp://quote", "result", "here"],
    ]);
    expect(await (await read(id, items[2]?.id ?? "")).text()).toBe("A quote");
    expect(hostile.seen).toEqual([]);
  });

  test("are not looked for in texts if the server has no resources", async () => {
    const server = await serverOf(hostile.url, "2026-07-28");
    await change(server.id, { capabilities: { tools: {} } });
    expect((await list(await ask({ file: "erp://bill" }, { server }))).items).toEqual([]);
  });

  test("name the server that is asked for each: a related task's may be another", async () => {
    const other = await serverOf(hostile.url, "2026-07-28");
    await change(other.id, { name: "Archive" });
    const related = await insertTask(web.db, acme, other, { state: "completed" });
    const content = [{ type: "resource_link", uri: "erp://quote", name: "Quote" }];
    await web.db.withOrganization(acme, (tx) =>
      tx.task.updateMany({ where: { organizationId: acme, id: related }, data: { result: { content } } }),
    );
    const { items } = await list(await ask({ file: "erp://bill", quote_task: related }));
    expect(items.map(({ uri, server }) => [uri, server])).toEqual([
      ["erp://bill", { id: there.id, name: "Finance" }],
      ["erp://quote", { id: other.id, name: "Archive" }],
    ]);
  });

  test("are read of the server while there is something to decide, and then by the requester alone", async () => {
    handOut({ text: "As the server has it" });
    const ana = await web.member(acme, "Ann", "operator");
    const id = await ask(
      { file: "erp://bill", note: { type: "resource", resource: { text: "Kept" } } },
      { requester: ana.userId },
    );
    const { items } = await list(id);
    const bill = items.find(({ kept }) => kept === "server")?.id ?? "";
    expect((await read(id, bill)).status).toBe(200);
    await over(id);
    hostile.seen.length = 0;
    expect((await codeOf(await read(id, bill))).slice(0, 2)).toEqual([410, "no_longer_open"]);
    expect(hostile.seen).toEqual([]);
    expect((await read(id, items.find(({ kept }) => kept === "here")?.id ?? "")).status).toBe(200);
    expect((await read(id, bill, ana)).status).toBe(200);
  });

  test("of another task whose owner signed in for it are read by that person's account only where that person asks", async () => {
    handOut({ text: "As Anton's account has it" });
    const anton = await web.member(acme, "Anton", "operator");
    const bert = await web.member(acme, "Bert", "operator");
    const own = { id: there.id, connectionId: uuidv7() };
    await web.db.withOrganization(acme, (tx) =>
      tx.connection.create({
        data: { organizationId: acme, id: own.connectionId, serverId: own.id, userId: anton.userId },
      }),
    );
    const privately = { visibility: "private", requester: anton.userId };
    const ended = await insertTask(web.db, acme, own, { state: "completed", ...privately });
    const result = { content: [{ type: "resource_link", uri: "erp://contract", name: "Contract" }] };
    await web.db.withOrganization(acme, (tx) =>
      tx.task.updateMany({ where: { organizationId: acme, id: ended }, data: { result } }),
    );
    // Bert was asked once, and sees the task since.
    await over((await insertRequest(web.db, acme, ended, { assignee: bert.userId })).id);
    const byBert = await ask({ about: ended }, { requester: bert.userId });
    const byAnton = await ask({ about: ended }, { requester: anton.userId });
    const readAs = async (id: string, who: { cookie: string }) => {
      const { items } = await list(id, who);
      return (await read(id, items[0]?.id ?? "", who)).status;
    };
    expect(await readAs(byBert, bert)).toBe(410);
    expect(hostile.seen).toEqual([]);
    expect(await readAs(byBert, anton)).toBe(200);
    // Anton's own task brings it along, while somebody decides on it.
    expect(await readAs(byAnton, bert)).toBe(200);
    await over(byAnton);
    expect(await readAs(byAnton, bert)).toBe(410);
    expect(await readAs(byAnton, anton)).toBe(200);
  });

  test("of another task on the shared connection are read while there is something to decide", async () => {
    handOut({ text: "As the server has it" });
    const starter = await web.member(acme, "Otto", "operator");
    const related = await insertTask(web.db, acme, there, { state: "completed" });
    const result = { content: [{ type: "resource_link", uri: "erp://quote" }] };
    await web.db.withOrganization(acme, (tx) =>
      tx.task.updateMany({ where: { organizationId: acme, id: related }, data: { result } }),
    );
    const id = await ask({ quote_task: related }, { requester: starter.userId });
    const { items } = await list(id);
    expect((await read(id, items[0]?.id ?? "")).status).toBe(200);
    await over(id);
    expect((await read(id, items[0]?.id ?? "")).status).toBe(410);
    expect((await read(id, items[0]?.id ?? "", starter)).status).toBe(410);
  });

  test("a site's address is never fetched by Intray: only the server is asked for it", async () => {
    handOut({ text: "As the server has it" });
    const url = `http://${hostile.hostAndPort}/secret.pdf`;
    const id = await ask({ scan: { type: "resource_link", uri: url } });
    const { items } = await list(id);
    expect(items[0]).toMatchObject({ kept: "site", uri: url });
    expect(await (await read(id, items[0]?.id ?? "")).text()).toBe("As the server has it");
    expect(hostile.seen.map(({ method }) => method)).toEqual(["resources/read"]);
  });
});

describe("who may not see a request reads nothing of it", () => {
  const missing = { status: 404, items: [] };

  test("another organization, not even by the document's name", async () => {
    const id = await ask({ file: "erp://bill" });
    const { items } = await list(id);
    const theirs = { key: await web.key(await web.organization("globex"), "owner") };
    expect(await list(id, theirs)).toEqual(missing);
    expect((await read(id, items[0]?.id ?? "", theirs)).status).toBe(404);
    expect(hostile.seen).toEqual([]);
  });

  test("another person, of a private task and of a private task's result", async () => {
    const ana = await web.member(acme, "Ana", "operator");
    const ben = await web.member(acme, "Ben", "operator");
    const secret = { visibility: "private", requester: ana.userId };
    const id = await ask({ file: "erp://bill" }, secret);
    expect((await list(id, ana)).items).toHaveLength(1);
    expect(await list(id, ben)).toEqual(missing);
    const done = await insertTask(web.db, acme, there, { state: "completed", ...secret });
    const result = { content: [{ type: "resource_link", uri: "erp://private" }] };
    await web.db.withOrganization(acme, (tx) =>
      tx.task.updateMany({ where: { organizationId: acme, id: done }, data: { result } }),
    );
    const open = await ask({ about: done });
    expect((await list(open, ana)).items).toHaveLength(1);
    expect((await list(open, ben)).items).toEqual([]);
  });

  test.each(["0".repeat(32), "0", "1", "-1", "..%2F..", "erp%3A%2F%2Fother", uuidv7()])(
    "a document that the request does not have: %s",
    async (name) => {
      const id = await ask({ file: "erp://bill" });
      expect((await read(id, name)).status).toBe(404);
      expect(hostile.seen).toEqual([]);
    },
  );
});

describe("a document that can't be shown is refused in words", () => {
  const link = { file: "erp://bill" };

  test("HTML that claims to be an image", async () => {
    handOut({ mimeType: "image/png", blob: Buffer.from("<script>alert(1)</script>").toString("base64") });
    expect(await codeOf(await readOnly(link))).toEqual([
      422,
      "document_not_shown",
      "This document says it is a PNG image, but it is not. It is not shown.",
    ]);
  });

  test("HTML and SVG are handed out as text alone", async () => {
    handOut({ mimeType: "text/html", text: "<script>alert(1)</script>" });
    const response = await readOnly(link);
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  });

  test.each([6_000_001, 9_000_000])("one of %i bytes", async (bytes) => {
    handOut({ mimeType: "text/plain", text: "x".repeat(bytes) });
    expect(await codeOf(await readOnly(link))).toEqual([
      422,
      "document_too_large",
      "This document is larger than 6 MB. It is not shown.",
    ]);
  });

  test("one that the server does not have, whatever the server says of it", async () => {
    hostile.act = ({ message, send }) => {
      if (message.method !== "resources/read") return false;
      const error = { code: -32002, message: "see http://10.0.0.7/ and token s3cret" };
      send({ jsonrpc: "2.0", id: message.id, error });
      return true;
    };
    expect(await codeOf(await readOnly(link))).toEqual([
      502,
      "server_unavailable",
      "The server does not have this document, or does not offer it.",
    ]);
  });

  test.each<[string, object, RegExp]>([
    ["no part", { contents: [] }, /returned nothing/],
    ["no list of parts", { contents: "all" }, /does not answer as an MCP server/],
    [
      "a question of its own",
      { resultType: "input_required", inputRequests: {} },
      /does not answer as an MCP server/,
    ],
  ])("an answer with %s", async (_what, result, why) => {
    hostile.act = ({ message, reply }) => {
      if (message.method !== "resources/read") return false;
      reply(result);
      return true;
    };
    const [status, code, detail] = await codeOf(await readOnly(link));
    expect([status, code]).toEqual([502, "server_unavailable"]);
    expect(detail).toMatch(why);
  });

  test("a server that is cut off, and ones that are removed or paused", async () => {
    const server = await serverOf(hostile.url, "2026-07-28");
    hostile.act = ({ response }) => {
      response.destroy();
      return true;
    };
    expect((await codeOf(await readOnly(link, { server }))).slice(0, 2)).toEqual([502, "server_unavailable"]);
    hostile.seen.length = 0;
    await change(server.id, { removedAt: new Date() });
    expect((await codeOf(await readOnly(link, { server })))[2]).toBe("The server was removed from Intray.");
    const paused = await serverOf(hostile.url, "2026-07-28");
    await change(paused.id, { pausedAt: new Date(), pausedBy: { kind: "member", id: null, name: "Ana" } });
    expect((await codeOf(await readOnly(link, { server: paused })))[1]).toBe("server_paused");
    expect(hostile.seen).toEqual([]);
  });

  test("an address that Intray may not call", async () => {
    const server = await serverOf("http://127.0.0.1:9/mcp", "2026-07-28");
    expect((await codeOf(await readOnly(link, { server })))[2]).toBe(
      "The server could not be reached, or is not allowed here.",
    );
  });
});

test("a person who asks for too many is told to wait", async () => {
  const { cookie } = await web.member(acme, "Cleo", "viewer");
  const id = await ask({ note: { type: "resource", resource: { text: "Hello" } } });
  const name = (await list(id)).items[0]?.id ?? "";
  const statuses: number[] = [];
  for (let n = 0; n < 61; n++) statuses.push((await read(id, name, { cookie })).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(60);
  expect(statuses.at(-1)).toBe(429);
});
