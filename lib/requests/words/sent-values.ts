import type { Field, Form } from "../../mcp/forms/form.ts";
import { currencyOf } from "../../text/amount.ts";
import { type Cell, describeValue } from "../../text/facts/cells.ts";
import type { Formats } from "../../text/formats/formats.ts";
import { heldAs } from "./answer-values.ts";

/** Content that was sent, to fill the form with again: what was left empty stays so, whatever the server suggests. */
export function sentValues(form: Form, content: Record<string, unknown>): Record<string, unknown> {
  const fields = form.kind === "supported" ? form.fields : [];
  return Object.fromEntries(
    fields.map(({ name, kind }) => {
      const value = Object.hasOwn(content, name) ? content[name] : undefined;
      return [name, kind === "one_of" && typeof value === "string" ? heldAs(value) : (value ?? "")];
    }),
  );
}

/** Content that was sent, as people read it: each value under its field's title, choices by their own titles. */
export function sentCells(
  fields: Field[],
  content: Record<string, unknown>,
  formats: Formats,
): { name: string; title: string; cell: Cell }[] {
  const byName = new Map(fields.map((field) => [field.name, field]));
  return Object.entries(content).map(([name, value]) => {
    const field = byName.get(name);
    const titles = new Map<unknown, string>(
      field && "options" in field ? field.options.map((option) => [option.value, option.title]) : [],
    );
    const titled = (each: unknown) => titles.get(each) ?? each;
    const read = Array.isArray(value) ? value.map(titled) : titled(value);
    const cell = describeValue(name, read, formats, currencyOf(content));
    return { name, title: field?.title ?? name, cell: cell ?? { kind: "text", text: JSON.stringify(value) } };
  });
}
