import { describe, expect, test } from "vitest";
import { normaliseForm } from "../../mcp/forms/read-form.ts";
import { RuleFailure } from "../../text/rules/language.ts";
import { problemsOf } from "./check.ts";
import { choiceOf, formOf } from "./choices.ts";
import { argumentsFor, handleIn, judge, toResult } from "./judge.ts";
import { type Recipe, recipeSchema } from "./recipe-schema.ts";

/** The recipe of the brief, for the four-tool server. */
const RECIPE: Recipe = recipeSchema.parse({
  name: "process_invoice",
  start: { tool: "submit_invoice", handle: "result.structuredContent.invoice_id" },
  status: {
    tool: "get_invoice_status",
    arguments: { invoice_id: "handle" },
    state: "result.structuredContent.status",
    working: ["VALIDATING", "PAYING"],
    completed: ["PAID"],
    failed: ["FAILED", "REJECTED"],
    message: "'Invoice ' + string(result.structuredContent.status)",
  },
  questions: [
    {
      when: "state == 'PENDING-APPROVAL'",
      message: "'Approve invoice ' + handle + '?'",
      details: "result.structuredContent",
      choices: [
        { label: "Approve", tool: "approve_invoice", arguments: { invoice_id: "handle" } },
        {
          label: "Reject",
          tool: "reject_invoice",
          arguments: { invoice_id: "handle", reason: "has(answer.reason) ? answer.reason : null" },
          fields: { reason: { type: "string", title: "Reason" } },
        },
      ],
    },
  ],
  cancel: { tool: "cancel_invoice", arguments: { invoice_id: "handle" } },
});

const structured = (structuredContent: Record<string, unknown>) =>
  toResult({ content: [], structuredContent })!;
const inText = (value: unknown) => toResult({ content: [{ type: "text", text: JSON.stringify(value) }] })!;
const changed = (change: (recipe: Recipe) => void): Recipe => {
  const recipe = structuredClone(RECIPE);
  change(recipe);
  return recipe;
};
const judged = (status: unknown, recipe = RECIPE) => judge(recipe, "INV-1", structured({ status }));

describe("a status tool's reply", () => {
  test.each([
    ["VALIDATING", "working", true],
    ["PAYING", "working", true],
    ["PAID", "completed", true],
    ["FAILED", "failed", true],
    ["REJECTED", "failed", true],
    ["ON-HOLD", "working", false],
  ] as const)("in the state %s is %s", (state, status, known) => {
    expect(judged(state)).toMatchObject({ status, known, questions: [], state });
  });

  test("says which state the recipe does not know", () => {
    expect(judged("ON-HOLD").statusMessage).toBe("The recipe does not know the state “ON-HOLD”.");
  });

  test("asks the question of its state, with the facts to decide by", () => {
    const facts = { status: "PENDING-APPROVAL", customer: "ACME", amount: 1200 };
    expect(judge(RECIPE, "INV-1", structured(facts))).toEqual({
      status: "input_required",
      statusMessage: "Invoice PENDING-APPROVAL",
      state: "PENDING-APPROVAL",
      known: true,
      questions: [
        {
          address: { kind: "key", key: "question-1" },
          mode: "form",
          message: "Approve invoice INV-1?",
          url: null,
          requestedSchema: {
            type: "object",
            properties: {
              choice: { type: "string", title: "Decision", enum: ["Approve", "Reject"] },
              reason: { type: "string", title: "Reason", "x-intray-need": "optional, for “Reject”" },
            },
            required: ["choice"],
            "x-intray-details": facts,
          },
          round: expect.any(String),
        },
      ],
    });
  });

  test("is in the same round while state and message are the same, whatever its facts are", () => {
    const levels = structuredClone(RECIPE);
    levels.questions[0]!.message = "'Level ' + string(result.structuredContent.level)";
    const round = (more: object) =>
      judge(levels, "INV-1", structured({ status: "PENDING-APPROVAL", level: 1, ...more })).questions[0]!
        .round;
    expect(round({ note: "queued" })).toBe(round({}));
    expect(round({ level: 2 })).not.toBe(round({}));
  });

  test("is read where it is JSON in a text, too", () => {
    expect(judge(RECIPE, "INV-1", inText({ status: "PAID" })).status).toBe("completed");
    expect(inText({ status: "PAID" }).structuredContent).toEqual({ status: "PAID" });
    expect(toResult({ content: [{ type: "text", text: "{not JSON" }] })?.structuredContent).toBeNull();
    expect(toResult({ content: "text" })).toBeNull();
  });

  test.each([
    ["of more levels", "[".repeat(1_000) + "]".repeat(1_000)],
    ["of more values", `[${"{},".repeat(600_000)}{}]`],
  ])("in a text is bounded as the reply itself: one %s is only a text", (_, text) => {
    expect(toResult({ content: [{ type: "text", text }] })).toMatchObject({ structuredContent: null, text });
  });

  test("that ends the process asks nothing, whatever a question says", () => {
    const always = changed((recipe) => {
      recipe.questions[0]!.when = "true";
    });
    expect(judged("PAID", always)).toMatchObject({ status: "completed", questions: [] });
  });

  test.each<[string, unknown, (recipe: Recipe) => void]>([
    ["has no state", undefined, () => undefined],
    ["has a state that is an object", { a: 1 }, () => undefined],
    [
      "leaves a question undecided",
      "X",
      (recipe) => {
        recipe.questions[0]!.when = "result.structuredContent.nothing";
      },
    ],
    [
      "has a question that is no yes or no",
      "X",
      (recipe) => {
        recipe.questions[0]!.when = "result.structuredContent.status";
      },
    ],
  ])("that %s concludes nothing", (_, state, change) => {
    expect(() => judged(state, changed(change))).toThrow(RuleFailure);
  });

  test("without a message's or details' value still asks, and says so", () => {
    const broken = changed((recipe) => {
      recipe.questions[0]!.message = "handle + 1";
      recipe.questions[0]!.details = "result.structuredContent.nothing";
    });
    const { questions } = judged("PENDING-APPROVAL", broken);
    expect(questions[0]?.message).toMatch(/state is “PENDING-APPROVAL”.*has no value/);
    expect(questions[0]?.requestedSchema).toMatchObject({
      "x-intray-details": { details: expect.stringMatching(/have no value: No such key: nothing/) },
    });
  });

  test("with more details than a person can read says how many", () => {
    const long = structured({ status: "PENDING-APPROVAL", text: "x".repeat(100_000) });
    expect(judge(RECIPE, "INV-1", long).questions[0]?.requestedSchema).toMatchObject({
      "x-intray-details": { details: expect.stringMatching(/^Too long to be shown: 1000\d\d characters/) },
    });
  });

  test("can't make an expression write one value many times", () => {
    const grown = changed((recipe) => {
      recipe.questions[0]!.details = `{${"abcdefgh"
        .split("")
        .map((name) => `'${name}': result.structuredContent`)
        .join(", ")}}`;
    });
    const huge = structured({ status: "PENDING-APPROVAL", text: "x".repeat(2_000_000) });
    expect(judge(grown, "INV-1", huge).questions[0]?.requestedSchema).toMatchObject({
      "x-intray-details": { details: expect.stringMatching(/too many steps/) },
    });
  });
});

describe("a handle", () => {
  test.each([
    ["a text", { invoice_id: "INV-1" }, "INV-1"],
    ["a number", { invoice_id: 4711 }, 4711],
    ["an object", { invoice_id: { id: "1", year: 2026 } }, { id: "1", year: 2026 }],
  ])("may be %s", (_, content, handle) => {
    expect(handleIn(RECIPE, {}, structured(content))).toEqual(handle);
  });

  test.each([
    ["missing", {}],
    ["null", { invoice_id: null }],
    ["empty", { invoice_id: "" }],
    ["too long", { invoice_id: "x".repeat(3_000) }],
    ["a number that was rounded as it was read", JSON.parse('{"invoice_id": 9007199254740993}')],
    ["an object with such a number", { invoice_id: JSON.parse('{"id": 12345678901234567890}') }],
  ])("is none if it is %s", (_, content) => {
    expect(() => handleIn(RECIPE, {}, structured(content))).toThrow(RuleFailure);
  });
});

describe("an answer", () => {
  const [question] = RECIPE.questions;

  test("is the call of its choice, with what was filled in for that", () => {
    const answer = { action: "accept" as const, content: { choice: "Reject", reason: "Too much" } };
    const chosen = choiceOf(question!, answer);
    if ("problem" in chosen) throw new Error(chosen.problem);
    expect(chosen.choice.tool).toBe("reject_invoice");
    expect(
      argumentsFor("choice", chosen.choice.arguments, { handle: "INV-1", answer: chosen.answer }),
    ).toEqual({ invoice_id: "INV-1", reason: "Too much" });
  });

  test("leaves out what belongs to another choice, and an argument without a value", () => {
    const chosen = choiceOf(question!, {
      action: "accept",
      content: { choice: "Approve", reason: "Too much" },
    });
    expect(chosen).toMatchObject({ answer: {} });
    expect(argumentsFor("choice", question!.choices[1]!.arguments, { handle: "INV-1", answer: {} })).toEqual({
      invoice_id: "INV-1",
    });
  });

  test.each([
    [{ action: "decline" as const }, /can’t be declined\. Choose one of: Approve, Reject/],
    [{ action: "accept" as const, content: { choice: "Pay" } }, /none of the choices/],
    [{ action: "accept" as const }, /none of the choices/],
  ])("%o is refused", (answer, why) => {
    expect(choiceOf(question!, answer)).toEqual({ problem: expect.stringMatching(why) });
  });

  test("without a field that its choice needs is refused", () => {
    const strict = { choices: [{ ...question!.choices[1]!, required: ["reason"] }, question!.choices[0]!] };
    expect(choiceOf(strict, { action: "accept", content: { choice: "Reject" } })).toEqual({
      problem: "Reject needs: reason.",
      missing: [{ field: "reason", message: "Needed for “Reject”" }],
    });
    expect(choiceOf(strict, { action: "accept", content: { choice: "Approve" } })).toMatchObject({
      answer: {},
    });
    expect(formOf({ choices: [strict.choices[0]!] })).toMatchObject({ required: ["choice", "reason"] });
  });

  test.each<[when: string, needs: boolean[], has: boolean[], need: string | undefined, required: boolean]>([
    ["of one choice", [false, false], [false, true], "optional, for “Reject”", false],
    ["needed for one choice", [false, true], [false, true], "needed for “Reject”", false],
    ["of both, needed for one", [false, true], [true, true], "needed for “Reject”", false],
    ["of both", [false, false], [true, true], undefined, false],
    ["needed for both", [true, true], [true, true], undefined, true],
  ])("says once when a field is needed: %s", (_, needs, has, need, required) => {
    const reason = { type: "string", description: "Why" };
    const choices = question!.choices.map((choice, at) => ({
      ...choice,
      fields: (has[at] ? { reason } : {}) as typeof choice.fields,
      required: needs[at] ? ["reason"] : [],
    }));
    const form = normaliseForm(formOf({ choices }));
    if (form.kind !== "supported") throw new Error(form.reason);
    expect(form.fields[1]).toMatchObject({ name: "reason", description: "Why", required });
    expect(form.fields[1]?.need).toBe(need);
  });
});

describe("a recipe is refused", () => {
  test.each<[path: string, place: string, value: unknown]>([
    ["status.completed", "status.completed", []],
    ["status.failed.0", "status.failed", ["PAID"]],
    ["questions.0.choices.1.label", "questions.0.choices.1.label", "Approve"],
    ["questions.0.choices.1.required.0", "questions.0.choices.1.required", ["other"]],
    ["name", "name", "a name"],
    ["status.everyMs", "status.everyMs", 10],
    ["", "typo", 1],
    ["description", "description", "x".repeat(4_001)],
  ])("by its form at “%s”", (path, place, value) => {
    const recipe: unknown = structuredClone(RECIPE);
    const names = place.split(".");
    const last = names.pop()!;
    const holder = names.reduce((at, name) => (at as Record<string, unknown>)[name], recipe);
    (holder as Record<string, unknown>)[last] = value;
    const parsed = recipeSchema.safeParse(recipe);
    expect(parsed.error?.issues.map((issue) => issue.path.join("."))).toEqual([path]);
  });

  test.each<[string, (recipe: Recipe) => void]>([
    [
      "start.handle",
      (recipe) => {
        recipe.start.handle = "handle";
      },
    ],
    [
      "start.arguments.invoice",
      (recipe) => {
        recipe.start.arguments = { invoice: "result.text" };
      },
    ],
    [
      "status.arguments.invoice_id",
      (recipe) => {
        recipe.status.arguments.invoice_id = "hndle";
      },
    ],
    [
      "status.state",
      (recipe) => {
        recipe.status.state = "state";
      },
    ],
    [
      "questions.0.when",
      (recipe) => {
        recipe.questions[0]!.when = "state";
      },
    ],
    [
      "questions.0.message",
      (recipe) => {
        recipe.questions[0]!.message = "'Approve";
      },
    ],
    [
      "questions.0.choices.1.arguments.reason",
      (recipe) => {
        recipe.questions[0]!.choices[1]!.arguments.reason = "reason";
      },
    ],
    [
      "questions.0.choices",
      (recipe) => {
        recipe.questions[0]!.choices[1]!.fields.reason = { type: "object" };
      },
    ],
    [
      "questions.0.choices",
      (recipe) => {
        recipe.questions[0]!.choices[1]!.fields.password = { type: "string", format: "password" };
      },
    ],
    [
      "questions.0.choices.1.fields.choice",
      (recipe) => {
        recipe.questions[0]!.choices[1]!.fields.choice = { type: "string" };
      },
    ],
    [
      "questions.0.choices.1.fields.reason",
      (recipe) => {
        recipe.questions[0]!.choices[0]!.fields.reason = { type: "boolean" };
      },
    ],
    [
      "cancel.arguments.invoice_id",
      (recipe) => {
        recipe.cancel!.arguments.invoice_id = "1 +";
      },
    ],
  ])("at %s", (field, change) => {
    expect(problemsOf(changed(change)).map((problem) => problem.field)).toEqual([field]);
  });

  test("nowhere, if it is the brief's", () => {
    expect(problemsOf(RECIPE)).toEqual([]);
  });
});
