import { storableText } from "../../../base/db/db.ts";
import { AppError } from "../../../base/errors.ts";
import { sizeOfJson } from "../../../text/schemas/json-size.ts";
import { MAX_BODY_BYTES, MAX_BODY_DEPTH, MAX_BODY_VALUES } from "../../tunables.ts";
import { wholeBodyOf } from "./whole-body.ts";

/** Refuses multipart bodies, since no call takes a file. */
export function refuseUploads(request: Request): void {
  if (/^\s*multipart\//i.test(request.headers.get("content-type") ?? ""))
    throw new AppError("unsupported_media_type", "Send the body as application/json.");
}

/** The JSON body of a request, counted while it is read, since a stated content length proves nothing. */
export async function readJson(
  request: Request,
  types = ["application/json"],
  mostBytes = MAX_BODY_BYTES,
  mostValues = MAX_BODY_VALUES,
): Promise<unknown> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type === undefined || !types.includes(type))
    throw new AppError("unsupported_media_type", `Send the body as ${types[0]}.`);
  const text = await readText(request, mostBytes);
  const { depth, values } = sizeOfJson(text, MAX_BODY_DEPTH);
  if (depth > MAX_BODY_DEPTH) throw new AppError("invalid_json", "The body is nested too deeply.");
  if (values > mostValues)
    throw new AppError("too_large", `The body has more than ${mostValues.toLocaleString("en")} values.`);
  const value = parseJson(text);
  return UNSTORABLE.test(text) ? storableValue(value) : value;
}

/** The escapes of NUL and of lone surrogates, the only form in which JSON can carry them. */
const UNSTORABLE = /\\u(0000|d[89a-f])/i;

/** The value with its texts and names made storable by Postgres. */
function storableValue(value: unknown): unknown {
  if (typeof value === "string") return storableText(value);
  if (Array.isArray(value)) return value.map(storableValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [storableText(name), storableValue(inner)]),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("invalid_json", "The body is not JSON.", { cause });
  }
}

/** The largest form but for those of SAML, in bytes. */
const FORM_BYTES = 64 * 1024;
/** Fields of a form. A name without a value costs much more to read than one with. */
const MOST_FIELDS = 100;

/** The fields of a form's body. Throws `too_large`, also for more fields than any form has. */
export async function readForm(request: Request, mostBytes = FORM_BYTES): Promise<URLSearchParams> {
  const text = await readText(request, mostBytes);
  if (text.split("&", MOST_FIELDS + 1).length > MOST_FIELDS)
    throw new AppError("too_large", `The form has more than ${MOST_FIELDS} fields.`);
  return new URLSearchParams(text);
}

const MIB = 1024 * 1024;

/** Throws `too_large`, or `invalid_json` if the caller leaves before the body's end. */
async function readText(request: Request, mostBytes = MAX_BODY_BYTES): Promise<string> {
  const most = mostBytes < MIB ? `${mostBytes / 1024} KiB` : `${mostBytes / MIB} MiB`;
  const tooLarge = new AppError("too_large", `The body is larger than ${most}.`);
  if (Number(request.headers.get("content-length") ?? 0) > mostBytes) throw tooLarge;
  const whole = wholeBodyOf(request);
  if (whole) {
    if (whole.byteLength > mostBytes) throw tooLarge;
    return Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength).toString("utf8");
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > mostBytes) throw tooLarge;
      chunks.push(chunk);
    }
  } catch (error) {
    if (error === tooLarge) throw error;
    // ECONNRESET here is the caller's connection, and would be taken for the database's.
    throw new AppError("invalid_json", "The body ended before it was complete.", { cause: error });
  }
  return Buffer.concat(chunks).toString("utf8");
}
