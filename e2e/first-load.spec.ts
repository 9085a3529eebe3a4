/** What /inbox loads before anybody has touched it: its scripts stay small. Bytes, so that a busy machine changes nothing. */
import { collectFiles } from "../bench/page-figures.ts";
import { askAbout, expect, requestPane, test } from "./desk.ts";

const MOST_BYTES = 200_000;
const QUIET_MS = 1_500;

test("the scripts of the inbox are no more than 200 kB, gzipped", async ({ ola, ben }) => {
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
