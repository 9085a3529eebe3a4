import type { Formats } from "../../text/formats/formats.ts";
import type { Fault, Verification } from "./event-schema.ts";

/** The result of a check of the history: a title, and the consequences of a broken one. */
export function describeVerification(
  { ok, lines, brokenAt, fault }: Verification,
  { number }: Formats,
): { title: string; detail: string } {
  const count = `${number(lines)} ${lines === 1 ? "line" : "lines"}`;
  if (ok || fault === null || brokenAt === null)
    return { title: `${count}, whole`, detail: "No line was changed, added, moved or taken away." };
  const at = number(brokenAt);
  return { title: `The history does not hold at line ${at}`, detail: DETAILS[fault](at) };
}

const DETAILS: Record<Fault, (at: string) => string> = {
  gap: (at) => `Line ${at} is missing, though later ones are there.`,
  altered: (at) => `Line ${at} says something else than when it was written.`,
  unlinked: (at) => `Line ${at} does not follow from the one before it: what came before was exchanged.`,
  cut: (at) =>
    `The end of the history is not where it was: lines from ${at} on were taken away or rewritten.`,
  rewritten: (at) => `Line ${at} has another hash than the anchor kept elsewhere: the history was made anew.`,
};
