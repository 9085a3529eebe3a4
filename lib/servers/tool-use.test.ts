/** A tool's first use by several at once. */
import { expect, test } from "vitest";
import { until } from "../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../test/fixtures/organization-for-file.ts";
import { insertServer } from "../../test/fixtures/rows.ts";
import { tool } from "../../test/fixtures/tool.ts";
import type { Tx } from "../base/db/db.ts";
import type { Tool } from "../mcp/peer.ts";
import { noteToolUse } from "./tool-changes.ts";

const fixture = organizationForFile([]);

test.each([
  { what: "as it is", used: tool("pay") },
  { what: "changed in between", used: tool("pay", { description: "Pays, now." }) },
])(
  "a tool that nobody has used, used twice at once, $what: one after the other, with one current version",
  async ({ used }) => {
    const { organizationId, database } = fixture;
    const server = await insertServer(database, organizationId);
    const use = (tx: Tx, called: Tool) => noteToolUse(tx, fixture.operator, server.id, called, null, null);
    let second: Promise<unknown> | undefined;
    await database.withOrganization(organizationId, async (tx) => {
      await use(tx, tool("pay"));
      second = database.withOrganization(organizationId, (other) => use(other, used));
      second.catch(() => undefined); // awaited below
      await until("the second one waits", () =>
        fixture.within(async (look) => {
          const rows = await look.$queryRaw<unknown[]>`SELECT FROM pg_locks WHERE NOT granted
          AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`;
          return rows.length > 0;
        }),
      );
    });
    await second;
    const current = await fixture.within(
      (tx) =>
        tx.$queryRaw<
          unknown[]
        >`SELECT FROM server_tool_version WHERE server_id = ${server.id}::uuid AND until IS NULL`,
    );
    expect(current).toHaveLength(1);
  },
);
