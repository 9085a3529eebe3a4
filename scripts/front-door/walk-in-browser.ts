/**
 * `walk-in-browser.ts <url>`: a newcomer's first visit in a real browser: Ben signs in, finds an invoice, and
 * approves it.
 */
import { chromium, expect } from "@playwright/test";
import { findOrInstallChromium } from "../chromium.ts";

const [url] = process.argv.slice(2);
const PATIENCE = { timeout: 180_000 };

const executablePath = findOrInstallChromium((line) => process.stderr.write(`${line}\n`));
if (!executablePath) process.exit(1);
const browser = await chromium.launch({
  executablePath,
  chromiumSandbox: process.getuid?.() !== 0,
  args: ["--disable-dev-shm-usage"],
});
try {
  const page = await browser.newPage({ baseURL: url, reducedMotion: "reduce" });
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.goto("/");
  await page.getByRole("button", { name: /^Ben\b/ }).click(PATIENCE);
  // A tour may cover the first page.
  await expect(page.getByRole("button", { name: "Ben: account and appearance" })).toBeVisible(PATIENCE);
  const requests = await page.request.get("/api/v1/input-requests?state=open&limit=200");
  const { items } = (await requests.json()) as { items: { id: string; taskId: string; tool: string }[] };
  console.log(`${items.length} requests wait when the first browser opens`);
  const invoice = items.find(({ tool }) => tool === "process_invoice");
  if (!invoice) throw new Error("No invoice waits for Ben");
  await page.goto(`/inbox/${invoice.id}`);
  await page.getByRole("button", { name: "Approve" }).first().click(PATIENCE);
  await expect
    .poll(async () => {
      const task = await (await page.request.get(`/api/v1/tasks/${invoice.taskId}`)).json();
      const request = await (await page.request.get(`/api/v1/input-requests/${invoice.id}`)).json();
      return [request.answer?.by.name, request.delivery?.state, task.state];
    }, PATIENCE)
    .toEqual(["Ben", "confirmed", "completed"]);
  expect(errors).toEqual([]);
} finally {
  await browser.close();
}
