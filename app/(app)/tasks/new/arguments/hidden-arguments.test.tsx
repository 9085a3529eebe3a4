import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { MeProvider } from "@/components/shell/session/me.tsx";
import { DRAWN_ME } from "@/test/drawn-me.ts";
import { ArgumentsTabs, useArguments } from "./arguments-editor.tsx";
import { readForm } from "./form-schema.ts";
import { SchemaForm } from "./schema-form.tsx";
import type { Json } from "./schema-tree.ts";

const TEXT = { type: "string", maxLength: 131_072 };
const SCHEMA = {
  type: "object",
  properties: {
    command: TEXT,
    note: { type: "string" },
    lines: { type: "array", items: { type: "object", properties: { item: { type: "string" } } } },
    edits: {},
  },
};

const FORM = (readForm(SCHEMA) as { form: Json }).form;

function JsonTab({ values }: { values: Json }) {
  return (
    <ArgumentsTabs
      edited={{ ...useArguments(SCHEMA, values), tab: "json" }}
      problems={[]}
      onChange={() => {}}
    />
  );
}

const drawn = (content: React.ReactNode) =>
  renderToStaticMarkup(<MeProvider me={DRAWN_ME}>{content}</MeProvider>);

/** What the boxes of these arguments say of invisible characters, as a form and as JSON. */
function hintsOf(values: Json): [number, number] {
  const form = drawn(
    <SchemaForm schema={FORM} values={values} need={null} problems={[]} onChange={() => {}} />,
  );
  const count = (html: string) => html.split("Contains invisible characters").length - 1;
  return [count(form), count(drawn(<JsonTab values={values} />))];
}

test.each([
  ["a command", { command: "rm -rf \u202e/atad/ pmt/\u202c # tidy" }],
  ["a short text", { note: "a\u200bb" }],
  ["a field of a line", { lines: [{ item: "a\u200bb" }] }],
  ["JSON", { edits: [{ new_string: "a\u202eb" }] }],
])("the box of %s says that characters in it can't be seen", (_, values) => {
  expect(hintsOf(values)).toEqual([1, 1]);
  expect(hintsOf(JSON.parse(JSON.stringify(values).replace(/[\u200b\u202c\u202e]/g, "")))).toEqual([0, 0]);
});
