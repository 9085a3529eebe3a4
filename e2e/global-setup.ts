import { startIntray } from "./intray.ts";

/** One Intray in demo mode for all journeys. E2E_URL names a running one instead, E2E_DATA_DIR its data. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.E2E_URL) return undefined;
  const intray = await startIntray({ INVOICE_STEP_DELAY_MS: "200", INVOICE_RECONCILE_MS: "1000" });
  process.env.E2E_URL = intray.url;
  process.env.E2E_INVOICE_URL = intray.invoiceUrl;
  process.env.E2E_DATA_DIR = intray.dataDir;
  return () => intray.stop();
}
