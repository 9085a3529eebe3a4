import { describe, expect, test } from "vitest";
import type { Field } from "../../mcp/forms/form.ts";
import { agreedValues, asAgreed, differsWords, startingDraft } from "./agreed.ts";
import { initialValues } from "./answer-values.ts";

describe("what others agreed to", () => {
  const of = {
    description: null,
    required: false,
    kind: "text" as const,
    format: null,
    minLength: null,
    maxLength: null,
  };
  const fields: Field[] = [
    { ...of, name: "a", title: "Cost center", default: null },
    { ...of, name: "b", title: "b", default: "urgent" },
  ];
  const at = (second: number) => new Date(1_000 * second).toISOString();
  const vote = (second: number, agrees = true) => ({ agrees, at: at(second) });
  const request = (draft: object | null, votes: object[] = [vote(10)]) =>
    ({
      fields: { kind: "supported", fields },
      approval: { content: { a: "CC-1000" }, stages: [{ votes }] },
      draft,
    }) as unknown as Parameters<typeof startingDraft>[0];
  const agreed = { a: "CC-1000", b: "" };

  test("fills the form, with what they left empty", () => {
    expect(agreedValues(request(null))).toEqual(agreed);
    expect(initialValues(fields, agreedValues(request(null)))).toEqual(agreed);
    expect(agreedValues({ ...request(null), approval: null })).toBeNull();
  });

  test("is hidden by what was typed since, and by no comment alone or older draft", () => {
    const content = { a: "CC-2000" };
    const started = (draft: object, votes?: object[]) => startingDraft(request(draft, votes))?.content;
    expect(startingDraft(request(null))).toBeNull();
    expect(started({ content, comment: null, savedAt: at(20) })).toEqual(content);
    expect(started({ content, comment: null, savedAt: at(5) })).toEqual(agreed);
    expect(started({ content: {}, comment: "Why?", savedAt: at(20) })).toEqual(agreed);
    expect(started({ content, comment: null, savedAt: at(20) }, [vote(10), vote(30, false)])).toEqual(
      content,
    );
  });

  test("is sent as they wrote it where the form says just that", () => {
    const several: Field = {
      ...{ name: "c", title: "c", description: null, required: false, kind: "several_of" },
      ...{
        options: ["x", "y", "z"].map((value) => ({ value, title: value })),
        minItems: null,
        maxItems: null,
        default: [],
      },
    } as unknown as Field;
    const content = { c: ["y", "x"], a: "CC-1000", b: "" };
    const asked = {
      ...request(null),
      fields: { kind: "supported", fields: [...fields, several] },
      approval: { content },
    } as unknown as Parameters<typeof asAgreed>[0];
    const form = (more: object = {}) => ({ a: "CC-1000", c: ["x", "y"], ...more });
    expect(asAgreed(asked, form())).toBe(content);
    expect(asAgreed(asked, form({ c: ["x"] }))).toEqual(form({ c: ["x"] }));
    expect(asAgreed(request(null), form())).toEqual(form());
    const hidden = { ...asked, approval: { content: { ...content, hidden: 1 } } } as unknown as typeof asked;
    expect(asAgreed(hidden, form())).toEqual(form());
  });

  test("is said where it differs", () => {
    expect(differsWords(request(null), { a: "CC-2000", b: "x" })).toBe("Cost center: CC-1000 · b: empty");
    expect(differsWords(request(null), { a: "CC-1000" })).toBeNull();
  });
});
