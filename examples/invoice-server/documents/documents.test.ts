/** The sample server's documents, as the official clients of both eras and Intray's own peers read them. */
import { inflateSync } from "node:zlib";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createNetwork, type Network } from "../../../lib/base/network/network.ts";
import { createPeer, openWire } from "../../../lib/mcp/connect.ts";
import { ERAS, type Era, type StreamListener } from "../../../lib/mcp/peer.ts";
import { judgeContent } from "../../../lib/requests/documents/content.ts";
import { databaseForFile } from "../../../test/for-file.ts";
import {
  createInvoiceDatabase,
  type InvoiceServer,
  startInvoiceServer,
} from "../../../test/servers/invoice-server.ts";
import { pdfOf } from "./pdf.ts";
import { pngOf } from "./png.ts";

const options = { deadlineMs: 30_000 };
const silent: StreamListener = {
  onQuestion() {},
  onRetracted() {},
  onStatus() {},
  onProgress() {},
  onEventId() {},
  onClosed() {},
};

const postgres = databaseForFile();
let database: Awaited<ReturnType<typeof createInvoiceDatabase>>;
let server: InvoiceServer;
let network: Network;

beforeAll(async () => {
  database = await createInvoiceDatabase(postgres.adminUrl);
  server = await startInvoiceServer(database.url);
  network = createNetwork({ allowHosts: [server.hostAndPort], denyPorts: [] });
  await start("process_invoice", {
    invoice: {
      invoice_id: "INV 7/8",
      customer: "Ünal (Köln)",
      lines: [{ description: "A \\ line (1)", amount: 1240.5, due_date: "2099-01-01" }],
    },
  });
  await start("approve_expense", {
    report_id: "EXP-1",
    employee: "Mara",
    purpose: "A fair",
    items: [{ description: "Hotel, two nights", date: "2026-11-01", amount: 318 }],
    documents: ["expense://EXP-1/receipt-1.png"],
  });
});
afterAll(async () => {
  await network?.close();
  await server?.kill();
  await database?.drop();
});

const peerOf = (era: Era) => createPeer(era, openWire({ url: server.url, headers: {} }, network));

async function start(tool: string, args: Record<string, unknown>): Promise<void> {
  const input = { tool, arguments: args, ttlMs: null, idempotencyKey: tool };
  const outcome = await peerOf("2026-07-28").start(null, input, silent, options);
  expect(outcome.kind).toBe("task");
}

test.each(ERAS)("are read in %s, and are what they say", async (era) => {
  const peer = peerOf(era);
  const session = await peer.open(options);
  const read = async (uri: string) => {
    const [part] = await peer.readResource(session, uri, options);
    expect(part?.uri).toBe(uri);
    return judgeContent(part ?? { mimeType: null, text: null, blob: null });
  };
  expect(await read("invoice://INV%207%2F8/invoice.pdf")).toMatchObject({ mediaType: "application/pdf" });
  expect(await read("expense://EXP-1/report.pdf")).toMatchObject({ mediaType: "application/pdf" });
  expect(await read("expense://EXP-1/receipt-1.png")).toMatchObject({ mediaType: "image/png" });
  for (const uri of [
    "invoice://INV-8/invoice.pdf",
    "expense://EXP-1/receipt-2.png",
    "expense://EXP-1/receipt-0.png",
    "expense://%zz/report.pdf",
    "file:///etc/passwd",
  ])
    await expect(peer.readResource(session, uri, options)).rejects.toMatchObject({ code: "rejected" });
  await peer.close(session, options);
});

test.each(["legacy", "auto"] as const)("are listed for the official client (%s)", async (mode) => {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual([
    "invoice://INV%207%2F8/invoice.pdf",
    "expense://EXP-1/report.pdf",
  ]);
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates).toHaveLength(3);
  await client.close();
});

test("a PDF says at which byte each object begins, whatever its texts are", () => {
  const pdf = pdfOf({ title: "Ü (1)", lead: "\\ 漢", rows: [["a", "$1.00"]], total: "$1.00" }).toString(
    "latin1",
  );
  const at = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(pdf)?.[1]);
  expect(pdf.slice(at, at + 4)).toBe("xref");
  const offsets = [...pdf.slice(at).matchAll(/^(\d{10}) 00000 n /gm)].map(([, offset]) => Number(offset));
  expect(offsets).toHaveLength(6);
  for (const [n, offset] of offsets.entries()) expect(pdf.slice(offset, offset + 7)).toBe(`${n + 1} 0 obj`);
  const [, length, stream] = /\/Length (\d+) >>\nstream\n([\s\S]*)\nendstream/.exec(pdf) ?? [];
  expect(stream).toHaveLength(Number(length));
  expect(stream).toContain("(\\\\ ?) Tj");
});

test("a picture has as many points as its header says, and not all are of one colour", () => {
  const png = pngOf(["RECEIPT", "$318.00"]);
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const data = png.subarray(41, 41 + png.readUInt32BE(33));
  const rows = inflateSync(data);
  expect(rows).toHaveLength((width + 1) * height);
  expect(new Set(rows)).toEqual(new Set([0, 0x2b, 0xf7]));
});
