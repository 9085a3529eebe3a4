/** What is known of each kind of field. Apart from form.ts, whose schemas no page has to load. */
import { asSent } from "../../text/foreign/quoted.ts";
import type { ChoiceValue, Field, FieldKind } from "./form.ts";

/** Whether people type the value; of every other kind they choose it. */
const TYPED: Record<FieldKind, boolean> = {
  text: true,
  number: true,
  boolean: false,
  one_of: false,
  several_of: false,
};

/** Whether people type the field's value. A server's suggestion is filled in only there: a choice is never made for a person. */
export function isTyped({ kind }: Pick<Field, "kind">): boolean {
  return TYPED[kind];
}

/** The choices of a field; none if its kind has no list of them. */
export function optionsOf(field: Field): { value: ChoiceValue; title: string }[] {
  switch (field.kind) {
    case "one_of":
    case "several_of":
      return field.options;
    case "text":
    case "number":
    case "boolean":
      return [];
  }
}

/** How a field's description begins where its title does not say the name that is sent. */
export function sentUnder(name: string): string {
  return `Sent as ${asSent(name)}.`;
}
