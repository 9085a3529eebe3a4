/** Names a question by its words, for answers to bind to. */
import { createHash } from "node:crypto";
import { canonicalJson } from "./jcs.ts";

/**
 * What an answer binds to: sha256 in hex of the RFC 8785 form of the question. `taskId` is our own id of the task,
 * not the server's; `requestedSchema` and `url` are as received. If the question was cut, or can't be
 * read, the digest of the whole is part of it. `arguments`: of the call that a question of Intray's own is about.
 */
export function questionHash(question: {
  taskId: string;
  mode: "form" | "url";
  message: string;
  requestedSchema: unknown;
  url: string | null;
  cut?: { digest: string };
  unreadable?: { digest: string };
  arguments?: Record<string, unknown>;
}): string {
  const { taskId, mode, message, requestedSchema, url, cut, unreadable, arguments: args } = question;
  const text = canonicalJson({
    v: 1,
    taskId,
    mode,
    message,
    requestedSchema: requestedSchema ?? null,
    url,
    ...(cut && { cut: cut.digest }),
    ...(unreadable && { unreadable: unreadable.digest }),
    ...(args && { arguments: args }),
  });
  return createHash("sha256").update(text, "utf8").digest("hex");
}
