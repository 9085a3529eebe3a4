/** What /inbox loads before anybody has touched it. Bytes, so that a busy machine changes nothing. */
import { collectFiles } from "../bench/page-figures.ts";
import { askAbout, expect, newInvoiceId, requestPane, test } from "./fixtures/test.ts";

/** 238.5 kB, gzipped. About 138 of them are React and Next. */
const MOST_BYTES = 238_500;
const QUIET_MS = 1_500;

test("the scripts of the inbox weigh at most 238.5 kB", async ({ ola, ben }) => {
  // The first request is a customer's first invoice. Forms, sites and similar decisions load further files.
  const customer = `Customer of ${newInvoiceId()}`;
  const { id } = await askAbout(ola, ola, { changes: { customer } });
  const files = collectFiles(ben);
  await ben.goto(`/inbox?q=${id}`);
  await expect(requestPane(ben).getByRole("heading", { level: 2 }).first()).toBeVisible();
  await expect.poll(() => files.quietMs() > QUIET_MS).toBe(true);
  const scripts = (await files.scripts()).sort((a, b) => b.bytes - a.bytes);
  const total = scripts.reduce((sum, { bytes }) => sum + bytes, 0);
  const list = scripts.map(({ path, bytes }) => `${String(bytes).padStart(9)}  ${path}`).join("\n");
  expect(total, `${total} bytes:\n${list}\n`).toBeLessThanOrEqual(MOST_BYTES);
});
