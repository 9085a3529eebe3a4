import { sizeOfJson } from "../../text/json.ts";
import { DEPTH, VALUES } from "../limits.ts";
import { PeerError } from "../peer-error.ts";

/** Shorter texts cannot contain a harmful structure. */
const HARMLESS_CHARACTERS = 1_000;

/**
 * Parses JSON from a server. Throws PeerError `bad_reply`, also for texts whose depth or number of values
 * would exhaust memory or stack; both are measured before parsing. Accepts a byte order mark (RFC 8259, 8.1).
 */
export function parseJson(text: string): unknown {
  if (text.length > HARMLESS_CHARACTERS) measure(text);
  try {
    return JSON.parse(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text);
  } catch (error) {
    throw refused("The reply is not JSON", error);
  }
}

function measure(text: string): void {
  const { depth, values } = sizeOfJson(text, DEPTH);
  if (depth > DEPTH) throw refused("The reply is nested too deeply");
  if (values > VALUES) throw refused("The reply has too many values");
}

const refused = (message: string, cause?: unknown) => new PeerError("bad_reply", "yes", message, { cause });

const BYTE_ORDER_MARK = 0xfeff;
