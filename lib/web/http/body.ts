import { storableText } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { deeperThan } from "../../mcp/messages.ts";
import { MAX_BODY_BYTES, MAX_BODY_DEPTH } from "../tunables.ts";

/** Refuses multipart bodies, since no call takes a file. */
export function refuseUploads(request: Request): void {
  if (/^\s*multipart\//i.test(request.headers.get("content-type") ?? ""))
    throw new AppError("unsupported_media_type", "Send the body as application/json.");
}

/** The JSON body of a request, counted while it is read, since a stated content length proves nothing. */
export async function readJson(request: Request, types = ["application/json"]): Promise<unknown> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type === undefined || !types.includes(type))
    throw new AppError("unsupported_media_type", `Send the body as ${types[0]}.`);
  const text = await readText(request);
  const value = parseJson(text);
  if (deeperThan(value, MAX_BODY_DEPTH)) throw new AppError("invalid_json", "The body is nested too deeply.");
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

/** Throws `too_large`, or `invalid_json` if the caller leaves before the body's end. */
export async function readText(request: Request): Promise<string> {
  const tooLarge = new AppError("too_large", "The body is larger than 1 MiB.");
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY_BYTES) throw tooLarge;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > MAX_BODY_BYTES) throw tooLarge;
      chunks.push(chunk);
    }
  } catch (error) {
    if (error === tooLarge) throw error;
    // ECONNRESET here is the caller's connection, and would be taken for the database's.
    throw new AppError("invalid_json", "The body ended before it was complete.", { cause: error });
  }
  return Buffer.concat(chunks).toString("utf8");
}
