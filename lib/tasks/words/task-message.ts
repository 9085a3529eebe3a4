import { shorten } from "../../text/labels.ts";

/** The subject of a protocol message, shown beside its method; empty if none stands out. Untrusted text. */
export function gistOf(body: unknown): string {
  const { params, result, error } = parts(body);
  if (error !== undefined)
    return shorten(`error: ${word(parts(error).message) ?? word(parts(error).code) ?? "unknown"}`, MOST);
  const { name, status, statusMessage, action, resultType, isError, message } = {
    ...parts(params),
    ...parts(result),
  };
  const words = [name, action, resultType, status, statusMessage ?? message].map(word).filter(Boolean);
  return shorten([...(isError === true ? ["isError"] : []), ...words].join(" · "), MOST);
}

const MOST = 120;

function parts(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function word(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? shorten(String(value), MOST) : undefined;
}
