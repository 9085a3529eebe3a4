/** No call of the API holds the process, whatever it is sent: each place of each body in turn is as large as a body may be. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { busiestTurn, MOST_HELD_MS } from "@/test/guards/busiest-turn.ts";
import { startDescribedWeb } from "@/test/guards/described.ts";
import { EXCEPTIONS } from "@/test/guards/exceptions.ts";
import { fill } from "@/test/guards/operations.ts";
import { createTenantFixture, type TenantFixture } from "@/test/guards/tenant-fixture.ts";
import { sharedNames } from "@/test/guards/walk.ts";
import { fullest, type Worst, worstOf } from "@/test/guards/worst.ts";

const { web, operations } = await startDescribedWeb({ INTRAY_RATE_LIMIT: "1000000" });
let acme: TenantFixture;

beforeAll(async () => {
  acme = await createTenantFixture(web, "acme-stalls");
});
afterAll(() => web.stop());

test("no call of the API holds the process", async () => {
  const held: string[] = [];
  const known = new Set<string>();
  const names = sharedNames((operation) => acme.things("owner", operation));
  for (const operation of operations) {
    const { body: schema, method } = operation;
    if (!schema) continue;
    const { id } = await names(operation);
    const { path } = fill(operation, { id, value: (at) => (at.startsWith("query.") ? undefined : "x") });
    const all: Iterable<Worst> = worstOf(schema, "body", known);
    for (const { place, make } of [...all, { place: "body full", make: () => fullest(schema) }]) {
      const body = JSON.stringify(make());
      const options = { key: acme.keys.owner, body, headers: EXCEPTIONS[operation.name]?.headers ?? {} };
      const busiest = await busiestTurn(async () => (await web.open(method, path, options)).status);
      if (busiest > MOST_HELD_MS) held.push(`${operation.name}, ${place}: ${Math.round(busiest)} ms`);
    }
  }
  expect(held).toEqual([]);
});
