import { startIntray } from "./intray.ts";
import { startQuestionServer } from "./question-server.ts";

/**
 * One Intray in demo mode for all journeys, and a server that asks. E2E_URL names a running Intray instead,
 * E2E_DATA_DIR its data, E2E_QUESTIONS_URL its server that asks.
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.E2E_URL) return undefined;
  const questions = await startQuestionServer();
  const intray = await startIntray({
    INVOICE_STEP_DELAY_MS: "200",
    INVOICE_RECONCILE_MS: "1000",
    INTRAY_ALLOW_HOSTS: questions.hostAndPort,
  });
  process.env.E2E_URL = intray.url;
  process.env.E2E_INVOICE_URL = intray.invoiceUrl;
  process.env.E2E_DATA_DIR = intray.dataDir;
  process.env.E2E_QUESTIONS_URL = questions.url;
  return async () => {
    await intray.stop();
    await questions.close();
  };
}
