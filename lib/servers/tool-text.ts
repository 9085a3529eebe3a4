/** A tool's description of itself, and its digest. */
import { createHash } from "node:crypto";
import { storable } from "../base/db/db.ts";
import { canonicalJson } from "../mcp/forms/jcs.ts";
import type { Tool } from "../mcp/peer.ts";
import type { ToolText } from "./server-schema.ts";

/** Returns the parts of a tool by which people and programs decide. Storable, so the digest is stable. */
export function textOf({ title, description, inputSchema, annotations, recipe }: Tool): ToolText {
  // A recipe that was changed calls other tools, maybe under the same description, and its tools may say something else.
  return storable({ title, description, inputSchema, annotations, ...(recipe && { recipe }) }) as ToolText;
}

/** Returns the SHA-256 of the text in canonical JSON, in hex. */
export function digestOf(text: ToolText): string {
  return createHash("sha256").update(canonicalJson(text)).digest("hex");
}

/** Returns a list's tools by name. Of two with one name the first counts, as for calls. */
export function listed(tools: Tool[]): Map<string, { text: ToolText; digest: string }> {
  const found = new Map<string, { text: ToolText; digest: string }>();
  for (const tool of tools) {
    if (found.has(tool.name)) continue;
    const text = textOf(tool);
    found.set(tool.name, { text, digest: digestOf(text) });
  }
  return found;
}
