/** What /inbox loads before anybody has touched it: its scripts may only shrink. Bytes, so that a busy machine changes nothing. */
import { collectFiles } from "../bench/page-figures.ts";
import { askAbout, expect, requestPane, test } from "./desk.ts";

/** What they weigh today. The goal is 200 kB: lower this with every step towards it, never raise it. */
const MOST_BYTES = 276_000;
const QUIET_MS = 1_500;

test("the scripts of the inbox weigh no more than before", async ({ ola, ben }) => {
  await askAbout(ola, ola);
  const files = collectFiles(ben);
  await ben.goto("/inbox");
  await expect(requestPane(ben).getByRole("heading", { level: 2 }).first()).toBeVisible();
  await expect.poll(() => files.quietMs() > QUIET_MS).toBe(true);
  const scripts = (await files.scripts()).sort((a, b) => b.bytes - a.bytes);
  const total = scripts.reduce((sum, { bytes }) => sum + bytes, 0);
  const list = scripts.map(({ path, bytes }) => `${String(bytes).padStart(9)}  ${path}`).join("\n");
  expect(total, `${total} bytes:\n${list}\n`).toBeLessThanOrEqual(MOST_BYTES);
});
