import type { Form } from "../../mcp/forms/form.ts";

/** Content that was sent, to fill the form with again: what was left empty stays so, whatever the server suggests. */
export function sentValues(form: Form, content: Record<string, unknown>): Record<string, unknown> {
  const fields = form.kind === "supported" ? form.fields : [];
  return Object.fromEntries(
    fields.map(({ name }) => [name, Object.hasOwn(content, name) ? content[name] : ""]),
  );
}
