/** Scoped reads of recipes. */
import { z } from "zod";
import { actorSchema } from "../../access/access-schema.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { notFound } from "../../base/errors.ts";
import type { Tool } from "../../mcp/peer.ts";
import { type Recipe, type RecipeVersion, recipeSchema } from "./recipe-schema.ts";
import { type CurrentRecipe, problemOf } from "./tool.ts";

/** SQL for the recipes in force of the server `s`, for `recipesIn`. */
export function recipesOf(organizationId: string): Prisma.Sql {
  return Prisma.sql`(SELECT jsonb_agg(jsonb_build_object('version', v.version, 'recipe', v.recipe) ORDER BY v.name)
    FROM recipe_version v WHERE v.organization_id = ${organizationId}::uuid AND v.server_id = s.id AND v.until IS NULL)`;
}

/** SQL condition: the task `t` is of no recipe, or of one that is in force, in whatever version. */
export const RECIPE_NOT_REMOVED = Prisma.sql`(t.recipe_version IS NULL OR EXISTS (SELECT FROM recipe_version v
  WHERE v.organization_id = t.organization_id AND v.server_id = t.server_id AND v.name = t.tool AND v.until IS NULL))`;

/** Returns whether a task's recipe was removed since it was made. */
export async function isRemoved(tx: Tx, taskId: string): Promise<boolean> {
  const [removed] = await tx.$queryRaw<unknown[]>`SELECT FROM task t
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${taskId}::uuid AND NOT ${RECIPE_NOT_REMOVED}`;
  return removed !== undefined;
}

const storedRecipes = z.array(z.object({ version: z.int(), recipe: recipeSchema })).nullable();

/** Reads what `recipesOf` selects. */
export function recipesIn(value: unknown): CurrentRecipe[] {
  return storedRecipes.parse(value) ?? [];
}

/** Returns the recipes in force, by server. */
export async function currentRecipes(tx: Tx, serverIds: string[]): Promise<Map<string, CurrentRecipe[]>> {
  const rows = await tx.recipeVersion.findMany({
    where: { organizationId: tx.organizationId, serverId: { in: serverIds }, until: null },
    select: { serverId: true, version: true, recipe: true },
    orderBy: [{ serverId: "asc" }, { name: "asc" }],
  });
  const found = new Map<string, CurrentRecipe[]>();
  for (const { serverId, version, recipe } of rows)
    found.set(serverId, [...(found.get(serverId) ?? []), { version, recipe: recipeSchema.parse(recipe) }]);
  return found;
}

/** Returns one version, also of a recipe that was removed; null: there is none. */
export async function readVersion(
  tx: Tx,
  { serverId, name, version }: { serverId: string; name: string; version: number },
): Promise<Recipe | null> {
  const row = await tx.recipeVersion.findFirst({
    where: { organizationId: tx.organizationId, serverId, name, version },
    select: { recipe: true },
  });
  return row && recipeSchema.parse(row.recipe);
}

/** Lists the recipes in force, by name. `tools`: what the server itself lists. */
export async function listRecipes(tx: Tx, serverId: string, tools: Tool[] | null): Promise<RecipeVersion[]> {
  const rows = await tx.recipeVersion.findMany({
    where: { organizationId: tx.organizationId, serverId, until: null },
    orderBy: { name: "asc" },
  });
  return rows.map((row) => toVersion(row, tools));
}

/** Returns the recipe in force. Throws `not_found`. */
export async function readRecipe(
  tx: Tx,
  serverId: string,
  name: string,
  tools: Tool[] | null,
): Promise<RecipeVersion> {
  const row = await tx.recipeVersion.findFirst({
    where: { organizationId: tx.organizationId, serverId, name, until: null },
  });
  if (!row) throw notFound("recipe");
  return toVersion(row, tools);
}

function toVersion(row: Prisma.RecipeVersionGetPayload<object>, tools: Tool[] | null): RecipeVersion {
  const recipe = recipeSchema.parse(row.recipe);
  return {
    name: row.name,
    version: row.version,
    recipe,
    madeAt: row.madeAt.toISOString(),
    madeBy: actorSchema.parse(row.madeBy),
    problem: problemOf(recipe, tools),
  };
}
