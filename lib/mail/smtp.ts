/** The operator's own mail server: the one socket that lib/base/network.ts does not open, to an address that no tenant chose. */
import { createTransport } from "nodemailer";
import { storableText } from "../base/db/db.ts";

interface Letter {
  /** Stays the same at every attempt, so that a letter that came twice is told to be one. */
  id: string;
  to: { name: string; address: string };
  subject: string;
  text: string;
  html: string;
}

/** `permanent`: the mail server will never take this letter. The message is in our own words. */
export class MailError extends Error {
  readonly permanent: boolean;
  constructor(message: string, permanent: boolean, cause: unknown) {
    super(message, { cause });
    this.name = "MailError";
    this.permanent = permanent;
  }
}

export interface Mailer {
  /** Throws MailError. Whether a letter arrived whose answer was lost nobody knows. */
  send(letter: Letter): Promise<void>;
  /** Whether the server lets us in; sends nothing. Throws MailError. */
  check(): Promise<void>;
}

/** Longer than a busy server takes; shorter than a mail is one engine's (lib/mail/transitions.ts). */
const DEADLINE_MS = 30_000;
const STEP_MS = 10_000;

/**
 * `url`: SMTP_URL, with the sender as `?from=`; without, it is intray@ and the host where the app is found. `stepMs`: how
 * long the server may take for one step.
 */
export function createMailer(url: string, appUrl: string, stepMs = STEP_MS): Mailer {
  const server = new URL(url);
  const host = new URL(appUrl).hostname;
  const from = server.searchParams.get("from") ?? `Intray <intray@${host}>`;
  server.searchParams.delete("from");
  const transport = createTransport({
    url: server.href,
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: stepMs,
    dnsTimeout: stepMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const settings = `${appUrl}/settings/notifications`;
  return {
    async send({ id, to, subject, text, html }) {
      const letter = {
        from,
        to: { name: oneLine(to.name), address: to.address },
        subject: oneLine(subject),
        text,
        html,
        messageId: `<${id}@${host}>`,
        headers: { "Auto-Submitted": "auto-generated", "List-Unsubscribe": `<${settings}>` },
        signal: AbortSignal.timeout(DEADLINE_MS),
      };
      await transport.sendMail(letter).catch((error: unknown) => {
        throw toMailError(error);
      });
    },
    async check() {
      await transport.verify().catch((error: unknown) => {
        throw toMailError(error);
      });
    },
  };
}

function toMailError(error: unknown): MailError {
  const { code, responseCode, permanent } = error as {
    code?: unknown;
    responseCode?: unknown;
    permanent?: unknown;
  };
  // A wrong password is the operator's to mend, and says nothing of the letter.
  if (code === "EAUTH") return new MailError("The mail server did not let Intray sign in.", false, error);
  if (typeof responseCode === "number")
    return new MailError(`The mail server answered ${responseCode}.`, permanent === true, error);
  return new MailError("The mail server could not be reached, or did not answer.", false, error);
}

function oneLine(text: string): string {
  return storableText(text).replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ");
}
