import { api } from "@/lib/web/client/base/client.ts";

/**
 * Puts a page's error into the log under a new id, and returns the id, or null if the report was not taken: an id
 * that stands in no log would be quoted in vain. A failed report changes nothing else for the reader.
 */
export function reportFailure({ message, stack }: Error): Promise<string | null> {
  const id = crypto.getRandomValues(new Uint32Array(1))[0]!.toString(16).padStart(8, "0");
  const body = {
    id,
    path: window.location.pathname.slice(0, 300),
    message: message.slice(0, 500),
    ...(stack && { stack: stack.slice(0, 4000) }),
  };
  return api.post("/api/v1/page-failures", body).then(
    () => id,
    () => null,
  );
}
