/** Asks an address whether it wants an agent's events, before any is sent there: it has to send a challenge back. */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { Network } from "../../base/network/network.ts";
import { SUBSCRIPTION_HEADER } from "../webhooks/delivery.ts";
import { signedHeaders } from "../webhooks/sign.ts";

/** As the protocol names them. Nothing else of an answer is told: who asks may have chosen an address that is not theirs. */
export type CallbackFailure =
  | "connection_refused"
  | "timeout"
  | "tls_error"
  | "http_4xx"
  | "http_5xx"
  | "challenge_failed";

const DEADLINE_MS = 5_000;
const ANSWER_BYTES = 8 * 1024;
const answerSchema = z.looseObject({ challenge: z.string() });

/** Returns why the address did not show that it wants the events; null: it did. */
export async function verifyCallback(
  network: Network,
  { url, secret, subscription }: { url: string; secret: string; subscription: string },
): Promise<CallbackFailure | null> {
  const challenge = randomBytes(32).toString("base64url");
  const body = JSON.stringify({ type: "verification", challenge });
  const id = `msg_verification_${randomBytes(16).toString("hex")}`;
  try {
    const reply = await network.fetch(url, {
      method: "POST",
      headers: {
        ...signedHeaders(id, body, [secret], Date.now()),
        [SUBSCRIPTION_HEADER]: subscription,
      },
      body,
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    if (reply.status >= 400 || reply.status < 200) {
      await reply.body?.cancel();
      return reply.status >= 500 ? "http_5xx" : "http_4xx";
    }
    const answered = answerSchema.safeParse(await readJson(reply)).data?.challenge ?? "";
    return reply.status < 300 && isSame(answered, challenge) ? null : "challenge_failed";
  } catch (error) {
    return failureOf(error as Error & { code?: string; cause?: { code?: string } });
  }
}

/** Undefined for what is no JSON, or too long. */
async function readJson(reply: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of reply.body ?? []) {
    length += chunk.length;
    // Leaving the loop drops the connection.
    if (length > ANSWER_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}

function isSame(answered: string, challenge: string): boolean {
  const [one, other] = [Buffer.from(answered), Buffer.from(challenge)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function failureOf({
  name,
  code,
  cause,
}: Error & { code?: string; cause?: { code?: string } }): CallbackFailure {
  if (name === "TimeoutError") return "timeout";
  const reason = code ?? cause?.code ?? "";
  return /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(reason)
    ? "tls_error"
    : "connection_refused";
}
