import type { FullConfig } from "@playwright/test";
import { keepCompiled } from "../lib/testing/compile-cache.ts";
import { startIntray } from "./intray.ts";
import { startOutside } from "./outside.ts";
import { startQuestionServer } from "./question-server.ts";

/** What the environment of a test names: a running Intray, its sample server, its data, and a server that asks. */
type Place = Record<
  "E2E_URL" | "E2E_INVOICE_URL" | "E2E_DATA_DIR" | "E2E_QUESTIONS_URL" | "E2E_OUTSIDE_URL",
  string
>;

/** One Intray in demo mode for each worker. E2E_URL and the others name a running one instead, for one worker. */
export default async function setup({ workers }: FullConfig): Promise<(() => Promise<void>) | undefined> {
  if (process.env.E2E_URL) return undefined;
  await keepCompiled();
  const started = await Promise.all(Array.from({ length: workers }, start));
  process.env.E2E_PLACES = JSON.stringify(started.map(({ place }) => place));
  return async () => void (await Promise.all(started.map(({ stop }) => stop())));
}

async function start(): Promise<{ place: Place; stop: () => Promise<void> }> {
  const questions = await startQuestionServer();
  const outside = await startOutside();
  const intray = await startIntray({
    INVOICE_STEP_DELAY_MS: "200",
    INVOICE_RECONCILE_MS: "1000",
    // Servers of the tests, on ports that some of them get later.
    INTRAY_ALLOW_HOSTS: "127.0.0.1",
    SMTP_URL: outside.smtpUrl,
  });
  return {
    place: {
      E2E_URL: intray.url,
      E2E_INVOICE_URL: intray.invoiceUrl,
      E2E_DATA_DIR: intray.dataDir,
      E2E_QUESTIONS_URL: questions.url,
      E2E_OUTSIDE_URL: outside.url,
    },
    async stop() {
      await intray.stop();
      await questions.close();
      await outside.close();
    },
  };
}
