/**
 * The names under which an agent is offered tools: `<server's prefix>__<tool>`. Clients keep them, so that a name must never
 * come to mean another tool: a server's prefix is stored when it is first given out, and stays, whatever the server is
 * called later; no other server of the organization ever gets it.
 */
import { createHash } from "node:crypto";
import { slugOf } from "../text/slug.ts";

/** The longest name that clients take, and the characters. */
const MOST_CHARACTERS = 64;
const TAKEN = /^[A-Za-z0-9_-]+$/;
/** The longest slug; the rest is the tool's. */
const SLUG_CHARACTERS = 24;
const SEPARATOR = "__";
const HASH_CHARACTERS = 6;

/**
 * Returns a prefix for a server that has none yet: its name's slug, or where another server has or had that, the slug with the hash of
 * its id.
 */
export function prefixFor({ id, name }: { id: string; name: string }, taken: ReadonlySet<string>): string {
  const slug = cutSlug(name);
  return taken.has(slug) ? `${slug}-${hashOf(id)}` : slug;
}

function cutSlug(name: string): string {
  const slug = slugOf(name);
  if (slug === "organization" && !/organization/i.test(name)) return "server"; // no character of the name is usable
  return slug.slice(0, SLUG_CHARACTERS).replace(/-$/, "");
}

/** What the names of all tools of a server begin with. */
export function beginningOfNames(prefix: string): string {
  return `${prefix}${SEPARATOR}`;
}

/** A tool's name as it is, or, where clients would not take it, what is usable of it with the hash of the whole. */
export function toolName(prefix: string, tool: string): string {
  const plain = `${beginningOfNames(prefix)}${tool}`;
  if (plain.length <= MOST_CHARACTERS && TAKEN.test(tool)) return plain;
  const end = `_${hashOf(tool)}`;
  return plain.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, MOST_CHARACTERS - end.length) + end;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, HASH_CHARACTERS);
}
