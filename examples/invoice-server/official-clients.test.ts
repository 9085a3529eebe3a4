/** The sample server with the official client, which is independent of Intray's code. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseForFile } from "../../test/for-file.ts";
import {
  createInvoiceDatabase,
  type InvoiceServer,
  startInvoiceServer,
} from "../../test/servers/invoice-server.ts";

const postgres = databaseForFile();
let database: Awaited<ReturnType<typeof createInvoiceDatabase>>;
let server: InvoiceServer;

beforeAll(async () => {
  database = await createInvoiceDatabase(postgres.adminUrl);
  server = await startInvoiceServer(database.url);
});

afterAll(async () => {
  await server?.kill();
  await database?.drop();
});

test.each([
  { mode: "auto" as const, era: "2026-07-28" },
  { mode: undefined, era: "2025-11-25" },
])("the official client finds the tools by $era", async ({ mode, era }) => {
  const client = new Client(
    { name: "witness", version: "1.0.0" },
    { capabilities: {}, ...(mode && { versionNegotiation: { mode } }) },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  const { tools } = await client.listTools();
  expect(tools.map((tool) => tool.name)).toEqual([
    "process_invoice",
    "approve_expense",
    "choose_supplier",
    "confirm_bank_details",
    "convert_currency",
    "release_payment_run",
    "reconcile_statement",
  ]);
  expect(client.getNegotiatedProtocolVersion()).toBe(era);
  await client.close();
});
