import type { Page } from "@playwright/test";
import { apiOf, ERAS, startInvoice } from "../e2e/fixtures/test.ts";
import type { Page as ListPage } from "../lib/base/page.ts";
import type { InputRequestSummary } from "../lib/requests/request-schema.ts";

const AT_ONCE = 8;
const LONGEST_MS = 300_000;

/** Starts sample invoices and waits until each has asked, so that the bench measures real requests. */
export async function fillInbox(starter: Page, requests: number): Promise<void> {
  let left = requests;
  const start = async () => {
    while (left-- > 0) await startInvoice(starter, { era: ERAS[0], sample: left % 3 ? "acme" : "large" });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, start));
  const deadline = Date.now() + LONGEST_MS;
  while ((await countOpen(starter)) < requests) {
    if (Date.now() > deadline) throw new Error(`Not all of ${requests} tasks have asked.`);
    await starter.waitForTimeout(1_000);
  }
}

async function countOpen(page: Page): Promise<number> {
  let [count, cursor]: [number, string | null] = [0, null];
  do {
    const place: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : "";
    const list: ListPage<InputRequestSummary> = await apiOf(page).get(
      `/input-requests?state=open&limit=200${place}`,
    );
    count += list.items.length;
    cursor = list.nextCursor;
  } while (cursor);
  return count;
}
