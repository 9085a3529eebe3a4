import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { MeProvider } from "@/components/shell/session/me.tsx";
import type { Form } from "@/lib/mcp/forms/form.ts";
import { normaliseForm } from "@/lib/mcp/forms/read-form.ts";
import { decisionOf } from "@/lib/requests/answers/form-buttons.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { DRAWN_ME } from "@/test/drawn-me.ts";
import { RequestMessage } from "../../request/request-message.tsx";
import { MainButtons } from "../decision/main-buttons.tsx";
import { AnswerFields } from "./answer-fields.tsx";
import { AnswerQuestion, FormWords } from "./answer-question.tsx";
import { useAnswerForm } from "./use-answer-form.ts";

const QUESTION = {
  mode: "form",
  message: "Pay it?",
  warnings: [],
  previous: null,
} as unknown as InputRequestDetail;

/** What the card shows of a form: its words, its fields, and its buttons. */
function Card({ form }: { form: Form }) {
  const decision = decisionOf(form);
  const answer = useAnswerForm(form, null);
  return (
    <>
      <FormWords form={form} />
      {decision.kind === "form" ? (
        <AnswerFields form={answer} onSubmit={() => {}} />
      ) : (
        <AnswerQuestion decision={decision} />
      )}
      <MainButtons
        question={{ ...QUESTION, fields: form }}
        decision={decision}
        opened={false}
        disabled={false}
        unseen={false}
        unopened={[]}
        pending={null}
        describedBy={undefined}
        affirmative={{ current: null }}
        other={{ current: null }}
        onAccept={() => {}}
        onSubmitForm={() => {}}
        onRead={() => {}}
      />
    </>
  );
}

const draw = (requestedSchema: object) =>
  renderToStaticMarkup(
    <MeProvider me={DRAWN_ME}>
      <Card form={normaliseForm(requestedSchema)} />
    </MeProvider>,
  );

const words = (at: string) => ({
  title: `${at} title`,
  description: `${at} words`,
  examples: [`${at} example`],
});
const choice = (at: string) => ({
  const: `${at} value`,
  title: `${at} choice`,
  description: `${at} meaning`,
});
const FIELDS: Record<string, object> = {
  text: { type: "string", ...words("text"), default: "text default", "x-intray-need": "text need" },
  number: { type: "number", ...words("number") },
  date: { type: "string", format: "date", ...words("date"), default: "date default" },
  "date and time": { type: "string", format: "date-time", ...words("time"), "x-intray-need": "time need" },
  "yes or no": { type: "boolean", ...words("boolean") },
  approval: { type: "boolean", ...words("approval") },
  "few choices": { ...words("few"), oneOf: [choice("one"), choice("two")], default: "few default" },
  "many choices": { ...words("many"), oneOf: "abcdefgh".split("").map(choice), default: "many default" },
  "several choices": { type: "array", ...words("several"), items: { anyOf: [choice("one"), choice("two")] } },
};
const named = (name: string) => (name === "approval" ? "approve" : "f");

/** Texts for people, wherever they are. */
function textsIn(json: unknown, keyword = ""): string[] {
  if (typeof json === "string")
    return /^(title|description|examples|default|x-intray-need)$/.test(keyword) ? [json] : [];
  if (Array.isArray(json)) return json.flatMap((each) => textsIn(each, keyword));
  return typeof json === "object" && json !== null
    ? Object.entries(json).flatMap(([key, value]) => textsIn(value, key))
    : [];
}

const plain = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

test.each(
  Object.keys(FIELDS).flatMap((name) => [
    [
      name,
      "alone and required",
      { properties: { [named(name)]: FIELDS[name] }, required: [named(name)] },
    ] as const,
    [name, "alone and optional", { properties: { [named(name)]: FIELDS[name] } }] as const,
    [
      name,
      "beside another",
      { properties: { [named(name)]: FIELDS[name], other: { type: "integer" } } },
    ] as const,
  ]),
)("every text of a form of %s, %s, is on the card", (_, _how, schema) => {
  const requested = { type: "object", ...words("form"), ...schema };
  // A button begins with a capital, and a field that is needed by itself says no more of when.
  const html = draw(requested).toLowerCase();
  const isRequired = "required" in schema;
  for (const text of textsIn(requested))
    if (!(isRequired && text.endsWith("need"))) expect(html).toContain(plain(text).toLowerCase());
});

test("no text of the card holds a hidden character, and what is sent keeps them", () => {
  const poisoned = JSON.parse(
    JSON.stringify({ type: "object", ...words("form"), properties: FIELDS }).replaceAll(
      /(title|words|example|default|need|choice|meaning|value)"/g,
      '\u202e$1\u200b"',
    ),
    // Keywords keep their names.
    (_, value) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(
            Object.entries(value).map(([key, inner]) => [key.replace(/[\u202e\u200b]/g, ""), inner]),
          )
        : value,
  );
  const alone = Object.values(poisoned.properties as object).map((property) => ({
    type: "object",
    properties: { f: property },
    required: ["f"],
  }));
  for (const requested of [poisoned, ...alone]) {
    const html = draw(requested);
    expect(html).toContain("\ufffd");
    const shown = html.replaceAll(/ value="[^"]*"/g, "").replaceAll(/(<textarea[^>]*>)[^<]*/g, "$1");
    expect(shown).not.toMatch(/[\u202e\u200b]/);
  }
});

test("figures beside letters from right to left are told wherever the card has a text", () => {
  const turned = "account 10 \u05d0 9000";
  const count = (html: string) => html.split("(right to left)").length - 1;
  const said = { title: turned, description: turned };
  for (const field of [
    { type: "string", ...said },
    { type: "boolean", ...said },
    { type: "array", ...said, items: { enum: ["a", "b"] } },
  ]) {
    const beside = { type: "object", properties: { f: field, g: { type: "integer" } }, required: ["f", "g"] };
    expect(count(draw(beside))).toBe(2);
  }
  const alone = { type: "object", properties: { f: { type: "boolean", ...said } }, required: ["f"] };
  expect(count(draw({ ...alone, description: turned }))).toBe(3);
  const drawn = renderToStaticMarkup(
    <MeProvider me={DRAWN_ME}>
      <RequestMessage message={`${turned}\n${turned}`} />
    </MeProvider>,
  );
  expect(count(drawn)).toBe(2);
});

test.each([2, 8])("of %i choices one whose value is blank is not chosen from the start", (count) => {
  const more = "abcdefg"
    .slice(0, count - 1)
    .split("")
    .map(choice);
  const html = draw({
    type: "object",
    properties: { d: { oneOf: [{ const: "", title: "Reject" }, ...more] }, other: { type: "integer" } },
  });
  expect(html).not.toMatch(/(type="radio"|<option)[^>]* value="[^"]+"[^>]* (checked|selected)=""/);
  // No answer alone has no value.
  expect(html.match(/(type="radio"|<option)[^>]* value=""/g)).toHaveLength(1);
});

test("choices too long for a list that opens are shown whole", () => {
  const long = (at: string) => ({ const: at, title: `Send the payment to the ${"usual ".repeat(10)} ${at}` });
  const html = (options: object[]) => draw({ type: "object", properties: { d: { oneOf: options } } });
  const eight = "abcdefgh".split("");
  expect(html(eight.map(long))).not.toContain("<select");
  expect(html(eight.map(choice))).toContain("<select");
});
