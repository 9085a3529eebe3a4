import { expect, test } from "vitest";
import { normaliseForm } from "../../mcp/forms/question.ts";
import { formatsOf } from "../../text/formats/formats.ts";
import { sentCells } from "./sent-values.ts";

const form = normaliseForm({
  type: "object",
  properties: {
    regions: {
      type: "array",
      title: "Where",
      items: {
        anyOf: [
          { const: "eu", title: "Europe" },
          { const: "us", title: "America" },
        ],
      },
    },
    decision: {
      title: "Decision",
      type: "string",
      oneOf: [
        { const: "k", title: "Keep waiting" },
        { const: "pay", title: "Pay" },
      ],
    },
    note: { type: "string", title: "Note" },
  },
});
const fields = form.kind === "supported" ? form.fields : [];

test("each value stands under its own field, whatever stands before it, and a choice by the words that were pressed", () => {
  const content = { regions: ["us", "eu"], decision: "k", note: "later" };
  expect(sentCells(fields, content, formatsOf("en-GB")).map(({ title, cell }) => [title, cell])).toEqual([
    ["Where", { kind: "text", text: "America (sends “us”), Europe (sends “eu”)" }],
    ["Decision", { kind: "text", text: "Keep waiting" }],
    ["Note", { kind: "text", text: "later" }],
  ]);
});
