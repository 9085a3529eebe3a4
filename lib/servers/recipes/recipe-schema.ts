/**
 * A recipe: how tools of a server that answer at once (submit, status, approve, reject) make up one durable task with
 * questions. docs/recipes.md describes it for who writes one. Client-safe; check.ts reads the expressions.
 */
import { z } from "zod";
import { actorSchema } from "../../access/access-schema.ts";
import { recordOfAtMost } from "../../text/schemas/bounded.ts";

/** Longest expression, in characters. lib/text/rules bounds it again where it is read. */
const EXPRESSION_CHARACTERS = 2_000;
/** One recipe as JSON, in characters: every version is kept. */
const RECIPE_CHARACTERS = 64 * 1024;
const INPUT_SCHEMA_CHARACTERS = 32 * 1024;
/** Recipes of one server. */
export const MOST_RECIPES = 50;
const MOST_ARGUMENTS = 50;
const MOST_STATES = 100;
const MOST_QUESTIONS = 20;
const MOST_CHOICES = 20;
const MOST_FIELDS = 20;

/** An expression in CEL. */
const expression = z
  .string()
  .trim()
  .min(1, "Write an expression")
  .max(EXPRESSION_CHARACTERS, `At most ${EXPRESSION_CHARACTERS} characters`);
const toolName = z.string().trim().min(1, "Name a tool").max(256);

/** Names that a recipe may have: those that every client of tools takes. */
export const recipeName = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "Letters, digits, _ and -, at most 64");

const argumentsSchema = recordOfAtMost(
  MOST_ARGUMENTS,
  `At most ${MOST_ARGUMENTS} arguments`,
  z.string().min(1).max(100),
  expression,
);
const states = z.array(z.string().min(1).max(200)).max(MOST_STATES, `At most ${MOST_STATES} states`);

const choiceSchema = z.strictObject({
  /** The button's text, and the answer's value. */
  label: z.string().trim().min(1, "Name the choice").max(100),
  tool: toolName,
  arguments: argumentsSchema.default({}),
  /** What the person fills in for it: fields of an elicitation form, as `answer.<name>` in its arguments. */
  fields: recordOfAtMost(
    MOST_FIELDS,
    `At most ${MOST_FIELDS} fields`,
    z.string().min(1).max(100),
    z.record(z.string(), z.unknown()),
  ).default({}),
  /** Fields without which the choice is not sent. */
  required: z.array(z.string().max(100)).max(MOST_FIELDS).default([]),
});
export type Choice = z.infer<typeof choiceSchema>;

const questionSchema = z.strictObject({
  when: expression,
  message: expression,
  /** An object of facts to decide by. */
  details: expression.optional(),
  choices: z
    .array(choiceSchema)
    .min(1, "A question needs a choice")
    .max(MOST_CHOICES, `At most ${MOST_CHOICES} choices`),
});
export type RecipeQuestion = z.infer<typeof questionSchema>;

/** A misspelled property would change what is called, so it is refused. */
export const recipeSchema = z
  .strictObject({
    name: recipeName,
    title: z.string().trim().min(1).max(200).optional(),
    description: z.string().trim().min(1).max(4_000).optional(),
    /** Of the task's arguments; without it, the start tool's own. */
    inputSchema: z
      .record(z.string(), z.unknown())
      .refine(
        (schema) => JSON.stringify(schema).length <= INPUT_SCHEMA_CHARACTERS,
        `At most ${INPUT_SCHEMA_CHARACTERS} characters`,
      )
      .optional(),
    start: z.strictObject({
      tool: toolName,
      /** Without them, the task's own arguments. */
      arguments: argumentsSchema.optional(),
      /** What names the process from then on. */
      handle: expression,
    }),
    status: z.strictObject({
      tool: toolName,
      arguments: argumentsSchema.default({}),
      everyMs: z.int().min(1_000, "At least 1000").max(3_600_000, "At most an hour").default(5_000),
      state: expression,
      working: states.default([]),
      completed: states.min(1, "Name a state in which the process is completed"),
      failed: states.default([]),
      cancelled: states.default([]),
      message: expression.optional(),
    }),
    questions: z.array(questionSchema).max(MOST_QUESTIONS, `At most ${MOST_QUESTIONS} questions`).default([]),
    cancel: z.strictObject({ tool: toolName, arguments: argumentsSchema.default({}) }).optional(),
  })
  .superRefine((recipe, context) => {
    const issue = (path: PropertyKey[], message: string) =>
      context.addIssue({ code: "custom", path, message });
    if (JSON.stringify(recipe).length > RECIPE_CHARACTERS)
      issue([], `A recipe has at most ${RECIPE_CHARACTERS} characters`);
    const { working, completed, failed, cancelled } = recipe.status;
    const lists = { working, completed, failed, cancelled };
    const seen = new Set<string>();
    for (const [list, names] of Object.entries(lists))
      for (const [at, name] of names.entries()) {
        if (seen.has(name)) issue(["status", list, at], "This state is named twice");
        seen.add(name);
      }
    for (const [at, { choices }] of recipe.questions.entries())
      for (const [which, { label, fields, required }] of choices.entries()) {
        const path = ["questions", at, "choices", which];
        if (choices.findIndex((other) => other.label === label) !== which)
          issue([...path, "label"], "Another choice has this label");
        for (const [nth, name] of required.entries())
          if (!Object.hasOwn(fields, name)) issue([...path, "required", nth], "There is no such field");
      }
  });
export type Recipe = z.infer<typeof recipeSchema>;

export interface RecipeInput {
  recipe: Recipe;
  /** The version that the change was made from; null: there was none. Left out: whatever is there. */
  replaces?: number | null;
}

/** A version of a recipe. Versions are never changed: a task keeps the one that it was started with. */
export const recipeVersionSchema = z.object({
  name: z.string(),
  version: z.int(),
  recipe: recipeSchema,
  madeAt: z.iso.datetime(),
  madeBy: actorSchema,
  /** Why it is not among the server's tools; null: it is. */
  problem: z.string().nullable(),
});
export type RecipeVersion = z.infer<typeof recipeVersionSchema>;

export const recipeListSchema = z.object({ items: z.array(recipeVersionSchema) });

/** Whether a recipe reads what its server says: of a reply that was recorded, or of one that is asked for now. */
export const tryRecipeSchema = z
  .strictObject({
    /** A reply of the status tool, as its `tools/call` was answered. */
    reply: z.record(z.string(), z.unknown()).optional(),
    /** A process of the server, whose status is asked for now. Only a tool that says `readOnlyHint` is called. */
    handle: z.unknown().optional(),
    /** Instead of the one that is saved. */
    recipe: recipeSchema.optional(),
  })
  .refine(({ reply, handle }) => (reply === undefined) === (handle !== undefined), {
    error: "Give either a reply or a handle",
  });
export type TryRecipeInput = z.infer<typeof tryRecipeSchema>;

const triedCallSchema = z.object({
  tool: z.string(),
  arguments: z.record(z.string(), z.unknown()).nullable(),
  /** Why its arguments have no value. */
  problem: z.string().nullable(),
});
export const triedRecipeSchema = z.object({
  /** The reply that was read. Untrusted. */
  reply: z.record(z.string(), z.unknown()).nullable(),
  /** Why nothing follows from it; null: see the rest. */
  problem: z.string().nullable(),
  state: z.string().nullable(),
  /** The recipe names the state, or asks something in it. */
  known: z.boolean(),
  status: z.enum(["working", "input_required", "completed", "failed", "cancelled"]).nullable(),
  statusMessage: z.string().nullable(),
  questions: z.array(
    z.object({
      message: z.string(),
      details: z.record(z.string(), z.unknown()).nullable(),
      /** The calls as they would be made, where nothing is filled in. None of them was. */
      choices: z.array(z.object({ label: z.string(), call: triedCallSchema })),
    }),
  ),
});
export type TriedRecipe = z.infer<typeof triedRecipeSchema>;

/** What is known of a tool that a recipe calls, from its server's list when the task was started. Untrusted claims. */
export const calledToolSchema = z.object({
  annotations: z.record(z.string(), z.unknown()).nullable(),
  /** Only where arguments are repeated in headers. */
  inputSchema: z.record(z.string(), z.unknown()).nullable(),
});
export type CalledTool = z.infer<typeof calledToolSchema>;
