/** The operator's mail server, the only socket outside lib/base/network/network.ts. No tenant chooses the address. */
import { createTransport } from "nodemailer";
import { storableText } from "../../base/db/db.ts";
import { env } from "../../base/env.ts";
import { isErrorNamed, onePerProcess } from "../../base/process/process-wide.ts";

interface Letter {
  /** Identical at every attempt, so that duplicates can be recognized. */
  id: string;
  to: { name: string; address: string };
  subject: string;
  text: string;
  html: string;
  /** It has no settings to turn it off by, so that it names no page for that. */
  isFixed?: boolean;
  /** A POST to it turns off what sends the letter, without a sign-in (RFC 8058). */
  unsubscribeUrl?: string;
}

/** A failed mail. `permanent`: the mail server will never accept it. The message is in Intray's own words. */
export class MailError extends Error {
  readonly permanent: boolean;
  constructor(message: string, permanent: boolean, cause: unknown) {
    super(message, { cause });
    this.name = "MailError";
    this.permanent = permanent;
  }

  static override [Symbol.hasInstance](value: unknown): value is MailError {
    return isErrorNamed(value, "MailError");
  }
}

export interface Mailer {
  /** Sends a letter. Throws MailError. If the server's reply was lost, the letter may have been delivered. */
  send(letter: Letter): Promise<void>;
  /** Tests the connection and the sign-in without sending. Throws MailError. */
  check(): Promise<void>;
}

/** Longer than a busy server takes; shorter than an engine's claim of a mail (lib/outbound/mail/mail-writes.ts). */
const DEADLINE_MS = 30_000;
const STEP_MS = 10_000;

/** This process's mailer by SMTP_URL; null without one. */
export const mailer = onePerProcess("mailer", () => {
  const { smtpUrl, url } = env();
  return smtpUrl === undefined ? null : createMailer(smtpUrl, url);
});

/**
 * Creates a mailer. `url`: SMTP_URL, with the sender as `?from=`; default intray@ plus the app's host.
 * `stepMs`: the server's time limit for one step.
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
  const settings = `${appUrl}/settings/channels`;
  return {
    async send({ id, to, subject, text, html, isFixed = false, unsubscribeUrl }) {
      const letter = {
        from,
        to: { name: oneLine(to.name), address: to.address },
        subject: oneLine(subject),
        text,
        html,
        messageId: `<${id}@${host}>`,
        headers: {
          "Auto-Submitted": "auto-generated",
          ...(!isFixed && { "List-Unsubscribe": `<${unsubscribeUrl ?? settings}>` }),
          ...(unsubscribeUrl && { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }),
        },
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
  // Not permanent: the operator can fix a wrong password, and the letter itself is fine.
  if (code === "EAUTH") return new MailError("The mail server did not let Intray sign in.", false, error);
  if (typeof responseCode === "number")
    return new MailError(`The mail server answered ${responseCode}.`, permanent === true, error);
  return new MailError("The mail server could not be reached, or did not answer.", false, error);
}

function oneLine(text: string): string {
  return storableText(text).replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ");
}
