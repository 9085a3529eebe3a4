/**
 * The bodies of requests and answers. Bytes of a request that has come whole are taken at once, not through two streams, so that
 * nothing that is held meanwhile waits for the caller.
 */
import { storableText, UNSTORABLE } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { parseStrictJson, StrictJsonError } from "../../text/foreign/strict-json.ts";
import { sizeOfJson } from "../../text/json.ts";
import { MAX_BODY_BYTES, MAX_BODY_DEPTH, MAX_BODY_VALUES } from "../tunables.ts";

/** Refuses multipart bodies, since hardly any call takes them. */
export function refuseUploads(request: Request): void {
  if (/^\s*multipart\//i.test(request.headers.get("content-type") ?? ""))
    throw new AppError("unsupported_media_type", "Send the body as application/json.");
}

/**
 * The JSON body of a request, counted while it is read, since a stated content length proves nothing. `isStrict`: throws
 * `invalid_json` for a body that would be kept as another one.
 */
export async function readJson(
  request: Request,
  types = ["application/json"],
  mostBytes = MAX_BODY_BYTES,
  mostValues = MAX_BODY_VALUES,
  isStrict = false,
): Promise<unknown> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type === undefined || !types.includes(type))
    throw new AppError("unsupported_media_type", `Send the body as ${types[0]}.`);
  const text = await readText(request, mostBytes);
  const { depth, values } = sizeOfJson(text, MAX_BODY_DEPTH);
  if (depth > MAX_BODY_DEPTH) throw new AppError("invalid_json", "The body is nested too deeply.");
  if (values > mostValues)
    throw new AppError("too_large", `The body has more than ${mostValues.toLocaleString("en")} values.`);
  const value = isStrict ? parseStrictly(text) : parseJson(text);
  if (!UNSTORABLE.test(text)) return value;
  const kept = storableValue(value);
  if (isStrict && JSON.stringify(kept) !== JSON.stringify(value))
    throw new AppError("invalid_json", "NUL and half a character can’t be kept.");
  return kept;
}

function parseStrictly(text: string): unknown {
  try {
    return parseStrictJson(text);
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    throw new AppError("invalid_json", error.message, { cause: error });
  }
}

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

/** The fields of a small form of either kind, none of them a file. Throws `too_large` and `unsupported_media_type`. */
export async function readFormData(request: Request): Promise<FormData> {
  const text = await readText(request, SMALL_FORM_BYTES);
  const type = request.headers.get("content-type") ?? "";
  return new Response(text, { headers: { "content-type": type } }).formData().catch((cause: unknown) => {
    throw new AppError("unsupported_media_type", "Send the body as a form.", { cause });
  });
}

const SMALL_FORM_BYTES = 4 * 1024;

const MIB = 1024 * 1024;

/** The body as it came, which a signature covers. Throws `too_large`, or `invalid_json` if the caller leaves before the body's end. */
export async function readText(request: Request, mostBytes = MAX_BODY_BYTES): Promise<string> {
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

/** A body that has come whole. A symbol of all copies of this module: Next bundles its own into the process. */
const WHOLE = Symbol.for("intray.whole-body");
type WholeRequest = Request & { [WHOLE]?: Uint8Array };

/** A request whose body is these bytes. Nothing but `wholeBodyOf` gives them: `request.body` is null. */
export function withWholeBody(request: Request, bytes: Uint8Array): Request {
  return Object.assign(request, { [WHOLE]: bytes });
}

/** The bytes of a body that has come whole; null: it has to be waited for, or there is none. */
function wholeBodyOf(request: Request): Uint8Array | null {
  return (request as WholeRequest)[WHOLE] ?? null;
}

/** The text of an answer of JSON, which call-server.ts takes as it is, past two streams. A symbol of all copies, as `WHOLE`. */
const TEXT = Symbol.for("intray.json-answer");
type TextAnswer = Response & { [TEXT]?: string };

/** As `Response.json`, with the headers of `init`. */
export function jsonAnswer(value: unknown, init: { status: number; headers: Headers }): Response {
  if (!init.headers.has("content-type")) init.headers.set("content-type", "application/json");
  const text = JSON.stringify(value);
  return Object.assign(new Response(text, init), { [TEXT]: text });
}

/** The bytes of an answer; null: it has no body. */
export async function bytesOf(answer: Response): Promise<Buffer | null> {
  const text = (answer as TextAnswer)[TEXT];
  if (text !== undefined) return Buffer.from(text);
  return answer.body ? Buffer.from(await answer.arrayBuffer()) : null;
}
