/** Headers that calls of the API carry. */
import { AppError } from "../../base/errors.ts";
import { MAX_IDEMPOTENCY_KEY } from "../tunables.ts";

export const idempotencyHeader = {
  "idempotency-key":
    "At most 255 characters. A repeated call with the same key and body is done once, and has the same result",
};

/** Returns the `Idempotency-Key` header, or null. Throws `invalid_input` if empty or too long. */
export function readIdempotencyKey(request: Request): string | null {
  const key = request.headers.get("idempotency-key");
  if (key === null) return null;
  if (key.length > 0 && key.length <= MAX_IDEMPOTENCY_KEY) return key;
  throw new AppError("invalid_input", "Some values are not valid.", {
    errors: [{ field: "Idempotency-Key", message: `Use 1 to ${MAX_IDEMPOTENCY_KEY} characters` }],
  });
}

export const versionHeader = {
  "if-match": "The `version` that you read. The change is refused if it is not the latest",
};

/** Returns the version that the caller has read (`If-Match: "3"`, quoted or not). Throws `version_required`, `invalid_input`. */
export function readVersion(request: Request): number {
  const header = request.headers.get("if-match");
  if (header === null)
    throw new AppError("version_required", "Send the version that you have read as the header If-Match.");
  const digits = /^(?:W\/)?"?(\d{1,9})"?$/.exec(header.trim())?.[1];
  if (digits === undefined)
    throw new AppError("invalid_input", "Some values are not valid.", {
      errors: [{ field: "If-Match", message: "Send one version, such as 3" }],
    });
  return Number(digits);
}
