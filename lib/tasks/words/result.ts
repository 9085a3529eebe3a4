import { z } from "zod";

const text = z.string().nullish();
const part = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("image"), data: z.string(), mimeType: z.string() }),
  z.object({ type: z.literal("audio"), data: z.string(), mimeType: z.string() }),
  z.object({
    type: z.literal("resource_link"),
    uri: z.string(),
    name: text,
    title: text,
    description: text,
    mimeType: text,
  }),
  z.object({
    type: z.literal("resource"),
    resource: z.object({ uri: z.string(), mimeType: text, text, blob: text }),
  }),
]);
export type ResultPart = z.infer<typeof part> | { type: "other"; value: unknown };

export interface ReadResult {
  isError: boolean;
  parts: ResultPart[];
  /** Any JSON; undefined if absent. */
  structured: unknown;
}

const result = z.object({
  isError: z.boolean().default(false),
  content: z.array(z.unknown()).default([]),
  structuredContent: z.unknown().optional(),
});

/** Returns the readable parts of a CallToolResult, or null. Untrusted: parsed, never believed. */
export function readResult(value: unknown): ReadResult | null {
  const parsed = result.safeParse(value);
  if (!parsed.success) return null;
  const structured = parsed.data.structuredContent ?? undefined;
  const parts = parsed.data.content.map(
    (each): ResultPart => part.safeParse(each).data ?? { type: "other", value: each },
  );
  return {
    isError: parsed.data.isError,
    structured,
    // Servers repeat the structured content as JSON text for older clients; the copy is dropped.
    parts:
      structured !== undefined
        ? parts.filter((each) => !(each.type === "text" && sameJson(each.text, structured)))
        : parts,
  };
}

function sameJson(text: string, value: unknown): boolean {
  const parsed = parseJsonText(text);
  return parsed !== null && JSON.stringify(parsed) === JSON.stringify(value);
}

/** Returns the parsed value of text that is a JSON object or list, or null for all other text. */
export function parseJsonText(text: string): object | null {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return JSON.parse(text) as object;
  } catch {
    return null;
  }
}
