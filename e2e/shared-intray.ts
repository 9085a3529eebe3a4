/** What the files of a worker share: an Intray in demo mode, and around it a server that asks and what it tells. */
import { startIntray } from "./intray.ts";
import { startOutside } from "./outside.ts";
import { startQuestionServer } from "./question-server.ts";

/** What the environment of a test names. */
type Place = Record<
  "E2E_URL" | "E2E_INVOICE_URL" | "E2E_DATA_DIR" | "E2E_QUESTIONS_URL" | "E2E_OUTSIDE_URL",
  string
>;

/** Starts one and names it in this process's environment; where E2E_URL and the others name one that runs, nothing. */
export async function shareIntray(): Promise<{ stop: () => Promise<void> }> {
  if (process.env.E2E_URL) return { stop: async () => {} };
  const questions = await startQuestionServer();
  const outside = await startOutside();
  const intray = await startIntray({
    INVOICE_STEP_DELAY_MS: "200",
    INVOICE_RECONCILE_MS: "1000",
    // Servers of the tests, on ports that some of them get later.
    INTRAY_ALLOW_HOSTS: "127.0.0.1",
    SMTP_URL: outside.smtpUrl,
  });
  const place: Place = {
    E2E_URL: intray.url,
    E2E_INVOICE_URL: intray.invoiceUrl,
    E2E_DATA_DIR: intray.dataDir,
    E2E_QUESTIONS_URL: questions.url,
    E2E_OUTSIDE_URL: outside.url,
  };
  Object.assign(process.env, place);
  return {
    async stop() {
      await intray.stop();
      await questions.close();
      await outside.close();
    },
  };
}
