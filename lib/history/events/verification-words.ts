import type { Formats } from "../../text/formats/formats.ts";
import type { Fault, Verification } from "./event-schema.ts";

/** The result of a check of the history: a title, and the consequences of a broken one. */
export function describeVerification(
  { ok, lines, brokenAt, fault }: Verification,
  { number }: Formats,
): { title: string; detail: string } {
  const count = `${number(lines)} ${lines === 1 ? "entry" : "entries"}`;
  if (ok || fault === null || brokenAt === null)
    return {
      title: `${count} checked, none altered`,
      detail: "No entry was changed, added, moved or removed.",
    };
  const at = number(brokenAt);
  return { title: `The history was altered at entry ${at}`, detail: DETAILS[fault](at) };
}

const DETAILS: Record<Fault, (at: string) => string> = {
  gap: (at) => `Entry ${at} is missing, but later ones exist.`,
  altered: (at) => `The text of entry ${at} has changed since it was written.`,
  unlinked: (at) => `Entry ${at} does not follow from the entry before it: earlier entries were replaced.`,
  cut: (at) => `The history used to go further: entries from ${at} on were removed or rewritten.`,
  rewritten: (at) =>
    `The hash of entry ${at} differs from the anchor kept elsewhere: the history was rewritten.`,
};
