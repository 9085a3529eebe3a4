import { namedInQuotes } from "../../text/foreign/quoted.ts";
import { plural } from "../../text/labels.ts";

/** Decisions in shadow that people made alike, before a rule may be live. */
export const FEWEST_SHADOWED = 20;

/** How often people decided what a rule would have, and how often otherwise. */
export interface ShadowRecord {
  agreed: number;
  disagreed: number;
}

/** Whether a rule may go live by its record, without somebody who acknowledges it. */
export const isProven = ({ agreed, disagreed }: ShadowRecord) => disagreed === 0 && agreed >= FEWEST_SHADOWED;

/** Of a rule that goes live though its record does not speak for it. */
export function againstRecord({ name, agreed, disagreed }: ShadowRecord & { name: string }): string {
  return `${namedInQuotes(name)} goes live against its record: people decided ${plural(agreed + disagreed, "request")} while it was in shadow, ${disagreed} of them otherwise. ${FEWEST_SHADOWED} should agree.`;
}
