/**
 * The `mcpServers` block of MCP hosts: in the operator's file (operator-file.ts), and as pasted by people who
 * connect servers. Without Node APIs, since pages import this file.
 */
import { z } from "zod";
import { type CreateServerInput, serverName, serverUrl } from "./server-schema.ts";

/** Printable, and short enough to display. */
const entryName = z.string().regex(/^(?!\s)[^\p{C}]{1,80}(?<!\s)$/u);
/** Each entry is parsed separately, so that an error can name the entry. */
export const blockShape = { mcpServers: z.record(entryName, z.unknown()) };

const noNul = z.string().regex(/^[^\0]*$/, "has a NUL character");
export const commandShape = {
  type: z.literal("stdio").optional(),
  command: noNul.min(1),
  args: z.array(noNul).default([]),
  env: z.record(z.string().regex(/^[^=\0]+$/), noNul).default({}),
};
export const httpShape = {
  type: z.enum(["http", "streamable-http"]).optional(),
  url: serverUrl,
  headers: z
    .record(
      z.string().regex(/^[!#$%&'*+.^_`|~\w-]+$/),
      z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, "has characters that no header can have"),
    )
    .default({}),
};

/** Returns the kind of an entry, or null if it has neither or both of `command` and `url`. */
export function kindOfEntry(value: unknown): "command" | "http" | null {
  const has = (name: string) => typeof value === "object" && value !== null && name in value;
  if (has("command") === has("url")) return null;
  return has("command") ? "command" : "http";
}

/** A pasted text's entries, by what Intray can do with them. `problem`: the text is unreadable. */
export type Pasted =
  | { problem: string }
  | {
      /** True for a block, false for a single URL. */
      block: boolean;
      /** Inputs for POST /api/v1/servers. May contain a token. */
      servers: CreateServerInput[];
      /** Names of commands, which only the installation's operator can define. */
      commands: string[];
      /** Names of entries that cannot be registered, and why. */
      refused: { name: string; why: string }[];
    };

// Not strict: other hosts add their own settings, which Intray ignores.
const pastedBlock = z.object(blockShape);
const pastedHttp = z.object(httpShape);

/** Reads a URL, or an `mcpServers` block as other hosts accept. Problem texts contain no values. */
export function readPasted(text: string): Pasted {
  const given = text.trim();
  if (given === "") return { problem: "Paste an address or an mcpServers block" };
  if (!/^["{[]/.test(given)) return readAddress(given);
  // Also accepts the block without the surrounding braces, as copied from a longer file.
  const block = pastedBlock.safeParse(parseJson(given) ?? parseJson(`{${given.replace(/,$/, "")}}`));
  if (!block.success) return { problem: problemOf(given) };
  const entries = Object.entries(block.data.mcpServers);
  if (entries.length === 0) return { problem: "The block names no server" };
  const pasted: Exclude<Pasted, { problem: string }> = {
    block: true,
    servers: [],
    commands: [],
    refused: [],
  };
  for (const [name, value] of entries) {
    const kind = kindOfEntry(value);
    if (kind === "command") {
      pasted.commands.push(name);
      continue;
    }
    const read = kind === null ? "needs either a url or a command" : readHttp(name, value);
    if (typeof read === "string") pasted.refused.push({ name, why: read });
    else pasted.servers.push(read);
  }
  return pasted;
}

function readAddress(address: string): Pasted {
  const parsed = serverUrl.safeParse(address);
  if (!parsed.success) {
    const isUrl = URL.canParse(address) && /^https?:/.test(address);
    const why = isUrl ? parsed.error.issues[0]?.message : null;
    return {
      problem: why ?? "This is neither an address, such as https://example.com/mcp, nor an mcpServers block",
    };
  }
  return {
    block: false,
    servers: [{ url: parsed.data, era: "auto", auth: { kind: "none" } }],
    commands: [],
    refused: [],
  };
}

/** Returns the input, or the reason for refusal as text. */
function readHttp(name: string, value: unknown): CreateServerInput | string {
  if (typeof value === "object" && value !== null && "type" in value && value.type === "sse")
    return "speaks the old HTTP+SSE transport; Intray needs its Streamable HTTP address";
  const parsed = pastedHttp.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return [issue?.path.join("."), issue?.message].filter(Boolean).join(": ");
  }
  const { url, headers } = parsed.data;
  const auth = readAuth(headers);
  if (typeof auth === "string") return auth;
  const called = serverName.safeParse(name);
  return { name: called.data ?? name, url, era: "auto", auth };
}

function readAuth(headers: Record<string, string>): CreateServerInput["auth"] | string {
  const other = Object.keys(headers).find((header) => header.toLowerCase() !== "authorization");
  if (other) return `sends the header ${other}, which only the operator’s file can`;
  const [value] = Object.values(headers);
  if (value === undefined) return { kind: "none" };
  const token = /^Bearer +(\S+)$/i.exec(value.trim())?.[1];
  if (value.includes("${")) return "has a placeholder for its token; put the token in its place";
  if (!token || token.length > 8192)
    return "has credentials other than a Bearer token, which only the operator’s file can";
  return { kind: "bearer", token };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function problemOf(text: string): string {
  return parseJson(text) === undefined
    ? "This is not JSON: a comma, a quote or a brace is missing, or one too many"
    : 'This JSON has no mcpServers block: { "mcpServers": { "name": { "url": "https://…" } } }';
}
