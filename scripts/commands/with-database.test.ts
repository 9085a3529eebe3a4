import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readRecord } from "../database/cluster.ts";
import { withClient } from "../database/roles.ts";
import { withOwnerUrl } from "./with-database.ts";

const folder = mkdtempSync(join(tmpdir(), "intray-two-commands-"));
beforeAll(() => {
  process.env.INTRAY_DATA_DIR = folder;
});
afterAll(() => {
  const elsewhere = readRecord(folder).home;
  for (const path of [folder, elsewhere]) if (path) rmSync(path, { recursive: true, force: true });
});

test("of two commands at once on a Postgres that did not run, the first to end leaves it to the other", async () => {
  const look = (url: string) => withClient(url, (client) => client.query("SELECT"));
  const second = Promise.withResolvers<string>();
  const firstEnds = Promise.withResolvers<void>();
  const first = withOwnerUrl(async (_url, started) => {
    expect(started).toBe(true);
    const other = withOwnerUrl(async (url, startedToo) => {
      expect(startedToo).toBe(false);
      firstEnds.resolve();
      // While the first one would stop it, were it alone.
      for (let n = 0; n < 10; n++) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        await look(url);
      }
      return url;
    });
    other.then(second.resolve, second.reject);
    await firstEnds.promise;
  });
  const url = await second.promise;
  await first;
  // Nobody uses it any more.
  await expect(look(url)).rejects.toThrow();
});
