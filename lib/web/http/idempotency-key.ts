import { AppError } from "../../base/errors.ts";
import { MAX_IDEMPOTENCY_KEY } from "../tunables.ts";

export const idempotencyHeader = {
  "idempotency-key":
    "At most 255 characters; the same key and body give the same task, however often they are sent",
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
