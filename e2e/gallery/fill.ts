import { apiOf } from "../fixtures/test.ts";
import type { GalleryFixture } from "./fixture.ts";

const filled = new WeakSet<GalleryFixture>();

/** A working day's worth of requests, once: some claimed, some assigned, one with little time. */
export async function fillInbox(fixture: GalleryFixture): Promise<void> {
  if (filled.has(fixture)) return;
  filled.add(fixture);
  const { ask, office } = fixture;
  const vendors = ["Northwind Traders", "Contoso Ltd", "Fabrikam AG", "Adventure Works"];
  for (const [n, vendor] of vendors.entries()) {
    await fixture.invoice(n % 2 ? "large" : "acme");
    await ask("approve_payment", { invoice_id: `INV-${311 + n}`, vendor });
    await ask("grant_access", { person: ["Kim Lee", "Noor Aziz", "Jo Park", "Max Roth"][n] });
  }
  office.liveFor(40 * 60_000);
  await ask("deploy", { build: "4813", environment: "staging" });
  office.liveFor(null);

  const claimed = await ask("delete_file", { filename: "exports-2021.zip" });
  await apiOf(fixture.as("Cleo")).write("POST", `/input-requests/${claimed.requestId}/claim`);
  const mine = await ask("schedule");
  await apiOf(fixture.as("Ben")).write("POST", `/input-requests/${mine.requestId}/claim`);
  await fixture.assign((await ask("onboard_vendor")).requestId, "Ben");
}
