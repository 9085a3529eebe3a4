/** Recipes among the tools of their server: started, granted, raced and retried as any of them. Pure. */
import type { Tool } from "../../mcp/peer.ts";
import { digestOf, textOf } from "../tool-changes.ts";
import type { CalledTool, Recipe } from "./recipe-schema.ts";

/** A recipe that is in force. */
export interface CurrentRecipe {
  version: number;
  recipe: Recipe;
}

/**
 * Returns the tools with the recipes in front. A tool which takes a recipe's name later is left out, so that it is never called
 * in its place. A recipe of which the server does not list every tool is left out, as is any of a server that never listed any.
 */
export function withRecipes(tools: Tool[] | null, recipes: CurrentRecipe[]): Tool[] | null {
  if (tools === null || recipes.length === 0) return tools;
  const names = new Set(recipes.map(({ recipe }) => recipe.name));
  return [
    ...recipes.flatMap((current) => asTool(current, tools) ?? []),
    ...tools.filter(({ name }) => !names.has(name)),
  ];
}

/** Names of the tools that a recipe calls, each once. */
function calledTools({ start, status, questions, cancel }: Recipe): string[] {
  const choices = questions.flatMap((question) => question.choices.map(({ tool }) => tool));
  return [...new Set([start.tool, status.tool, ...choices, ...(cancel ? [cancel.tool] : [])])];
}

/** Returns why a recipe is not among its server's tools; null: it is. */
export function problemOf(recipe: Recipe, tools: Pick<Tool, "name">[] | null): string | null {
  if (tools === null) return "The server has not listed its tools yet.";
  const missing = calledTools(recipe).filter((name) => !tools.some((tool) => tool.name === name));
  if (missing.length === 0) return null;
  return `The server lists no tool of this name: ${missing.join(", ")}.`;
}

function asTool({ version, recipe }: CurrentRecipe, tools: Tool[]): Tool | null {
  if (problemOf(recipe, tools) !== null) return null;
  const named = (name: string) => tools.find((tool) => tool.name === name)!;
  const start = named(recipe.start.tool);
  const calls = calledTools(recipe).map((name) => [name, asCalled(named(name))] as const);
  return {
    name: recipe.name,
    title: recipe.title ?? null,
    description: recipe.description ?? start.description,
    inputSchema: recipe.inputSchema ?? start.inputSchema,
    // A call that gets no reply is a start of unknown outcome, never the task itself.
    taskSupport: "required",
    annotations: annotationsOf(
      start,
      calls.map(([, its]) => its),
    ),
    honoursIdempotencyKey: start.honoursIdempotencyKey,
    recipe: {
      version,
      tools: Object.fromEntries(calls.map(([name]) => [name, digestOf(textOf(named(name)))])),
    },
    calls: Object.fromEntries(calls),
  };
}

/** The start tool's claims, by which a start may be repeated, made no milder than those of the other tools. */
function annotationsOf(start: Tool, calls: CalledTool[]): Tool["annotations"] {
  const says = (claim: string) => (called: CalledTool) => called.annotations?.[claim] === true;
  return {
    ...start.annotations,
    readOnlyHint: calls.every(says("readOnlyHint")),
    ...(calls.some(says("destructiveHint")) && { destructiveHint: true }),
  };
}

function asCalled({ annotations, inputSchema }: Tool): CalledTool {
  const hasHeaders = JSON.stringify(inputSchema).includes('"x-mcp-header"');
  return { annotations, inputSchema: hasHeaders ? inputSchema : null };
}
