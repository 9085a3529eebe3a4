/** Words for the changes between two definitions of a tool. All texts come from the server and are untrusted. */

import { diffFields } from "../../text/schema-diff.ts";
import type { ToolText } from "../server-schema.ts";

/** What changed besides title and description, a line each. */
export function toolDifference(before: ToolText, after: ToolText): string[] {
  return [
    ...diffFields(before.inputSchema, after.inputSchema, "The input schema changed."),
    ...annotationLines(before.annotations, after.annotations),
    ...recipeLines(before.recipe, after.recipe),
  ];
}

function annotationLines(before: ToolText["annotations"], after: ToolText["annotations"]): string[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const say = (value: unknown) => (value === undefined ? "not said" : JSON.stringify(value));
  return [...names].flatMap((name) => {
    const [was, is] = [say(before?.[name]), say(after?.[name])];
    return was === is ? [] : [`The server’s claim ${name}: ${was} → ${is}`];
  });
}

function recipeLines(before: ToolText["recipe"], after: ToolText["recipe"]): string[] {
  if (!before || !after) {
    if (after) return [`It was a tool of the server, and is a recipe now, version ${after.version}`];
    return before ? ["It was a recipe, and is a tool of the server now"] : [];
  }
  const [was, is] = [before.tools ?? {}, after.tools ?? {}];
  const changed = Object.keys(is).filter((name) => was[name] !== undefined && was[name] !== is[name]);
  return [
    ...(before.version !== after.version ? [`The recipe: version ${before.version} → ${after.version}`] : []),
    ...changed.map((name) => `The server says something else of ${name}, which the recipe calls`),
  ];
}
