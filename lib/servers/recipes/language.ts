/** What the expressions of a recipe can say something about. docs/recipes.md lists it for who writes them. */
import { createLanguage, type Language } from "../../text/rules/language.ts";

/** `result`: a tool's reply, as `toResult` makes it. */
const result = { structuredContent: "dyn", content: "list", text: "string", isError: "bool" };

/** The expressions of a recipe by their place. Texts are parsed once a process. */
export const LANGUAGES = {
  /** Arguments of the start tool, by those of the task. */
  start: createLanguage({ arguments: "map" }),
  handle: createLanguage({ arguments: "map", result }),
  /** Arguments of the tools for status and cancel. */
  call: createLanguage({ handle: "dyn" }),
  /** Of the status tool's reply. */
  state: createLanguage({ handle: "dyn", result }),
  /** Everything after the state is known. */
  status: createLanguage({ handle: "dyn", result, state: "string" }),
  /** Arguments of a choice's tool; `answer`: what the person filled in. */
  choice: createLanguage({ handle: "dyn", answer: "map" }),
} satisfies Record<string, Language>;
export type Place = keyof typeof LANGUAGES;
