/** Checks a receipt against public keys, with nothing of Intray's at hand, and says in words what holds. */
import { createHash } from "node:crypto";
import { compactVerify, decodeProtectedHeader, importJWK } from "jose";
import { z } from "zod";
import { readLine } from "../../history/events/verify.ts";
import {
  publicKeySchema,
  RECEIPT_ALGORITHM,
  RECEIPT_TYPE,
  type Receipt,
  type ReceiptLine,
  receiptSchema,
} from "./receipt-schema.ts";

export interface Finding {
  holds: boolean;
  /** A sentence. */
  words: string;
}

export interface Verdict {
  holds: boolean;
  findings: Finding[];
  /** Null if the signature does not hold: nothing in it can be believed. */
  receipt: Receipt | null;
}

const headerSchema = z.object({ alg: z.string(), kid: z.string(), typ: z.string() });

/** `keys`: what was read as a JWK set. Keys of other kinds in it are left out. */
export async function verifyReceipt(text: string, keys: unknown): Promise<Verdict> {
  const fails = (words: string): Verdict => ({
    holds: false,
    findings: [{ holds: false, words }],
    receipt: null,
  });
  const header = headerOf(text);
  if (!header) return fails("This is not a receipt: it is not a signed text (JWS).");
  if (header.typ !== RECEIPT_TYPE) return fails(`This is not a receipt: it is signed as “${header.typ}”.`);
  if (header.alg !== RECEIPT_ALGORITHM)
    return fails(`It is signed with “${header.alg}”. Receipts are signed only with ${RECEIPT_ALGORITHM}.`);
  const key = keysIn(keys).find(({ kid }) => kid === header.kid);
  if (!key) return fails(`The key ${header.kid}, which the receipt names, is not in the list of keys.`);
  const payload = await payloadOf(text, key);
  if (payload === null)
    return fails("The signature is not valid: somebody altered the receipt, or another key signed it.");
  const signed = { holds: true, words: `The signature of the key ${header.kid} is valid.` };
  const receipt = receiptIn(payload);
  if (!receipt)
    return {
      holds: false,
      findings: [signed, { holds: false, words: "This version of Intray can’t read the receipt." }],
      receipt: null,
    };
  const findings = [signed, ...findingsOf(receipt)];
  return { holds: findings.every(({ holds }) => holds), findings, receipt };
}

function headerOf(text: string): z.infer<typeof headerSchema> | null {
  try {
    return headerSchema.parse(decodeProtectedHeader(text));
  } catch {
    return null;
  }
}

function keysIn(keys: unknown): z.infer<typeof publicKeySchema>[] {
  const list = z.object({ keys: z.array(z.unknown()) }).safeParse(keys);
  return (list.data?.keys ?? []).flatMap((key) => publicKeySchema.safeParse(key).data ?? []);
}

/** Null: the signature does not hold. */
async function payloadOf(text: string, key: z.infer<typeof publicKeySchema>): Promise<string | null> {
  try {
    const publicKey = await importJWK(key, RECEIPT_ALGORITHM);
    const { payload } = await compactVerify(text, publicKey, { algorithms: [RECEIPT_ALGORITHM] });
    return Buffer.from(payload).toString("utf8");
  } catch {
    return null;
  }
}

function receiptIn(payload: string): Receipt | null {
  try {
    return receiptSchema.parse(JSON.parse(payload));
  } catch {
    return null;
  }
}

/** Judges what a signed receipt says of itself. Pure. */
function findingsOf(receipt: Receipt): Finding[] {
  const { history, request } = receipt;
  const wrong = history.filter((line) => !isWhole(line, request.id));
  const isInOrder = history.every(({ seq }, at) => at === 0 || seq > (history[at - 1]?.seq ?? 0));
  const unread = history.filter(({ line }) => line === null).length;
  return [
    wrong.length === 0 && isInOrder
      ? {
          holds: true,
          words: `Its ${history.length} lines of history fit their hashes${unread > 0 ? `, except ${unread} of an earlier version, which can’t be checked here` : ""}.`,
        }
      : {
          holds: false,
          words: `Lines of history do not fit their hashes: ${wrong.map(({ seq }) => seq).join(", ") || "their order is wrong"}.`,
        },
  ];
}

/** Whether digest and hash follow from the line, and the line is about the request. */
function isWhole(
  { seq, type, line, digest, previousHash, hash }: ReceiptLine,
  inputRequestId: string,
): boolean {
  const chained = createHash("sha256")
    .update(Buffer.from(previousHash, "hex"))
    .update(Buffer.from(digest, "hex"))
    .digest("hex");
  if (chained !== hash) return false;
  if (line === null) return true;
  if (createHash("sha256").update(line).digest("hex") !== digest) return false;
  try {
    const read = readLine(line, null);
    return read.seq === seq && read.type === type && read.inputRequestId === inputRequestId;
  } catch {
    return false;
  }
}
