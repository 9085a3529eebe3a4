/** All writes to recipes. A version stays as it is; what is in force is the one without an end. */
import type { Actor } from "../../access/access-schema.ts";
import { Prisma, storable, type Tx } from "../../base/db/db.ts";
import { AppError, type FieldError, notFound } from "../../base/errors.ts";
import { publishChange } from "../../base/live-updates.ts";
import { appendEvents, type NewEvent } from "../../history/events/event-writes.ts";
import { canonicalJson } from "../../mcp/forms/jcs.ts";
import { problemsOf } from "./check.ts";
import { MOST_RECIPES, type Recipe, type RecipeInput, recipeSchema } from "./recipe-schema.ts";

/**
 * Saves a recipe as the next version of its name, unless it is the one in force. Returns whether there was none of that name.
 * Throws `not_found`, `defined_by_operator`, `version_changed`, `too_many_recipes`, and `invalid_input` with the place of each
 * mistake.
 */
export async function saveRecipe(
  tx: Tx,
  actor: Actor,
  serverId: string,
  { recipe, replaces }: RecipeInput,
): Promise<{ created: boolean }> {
  const server = await lockOwn(tx, serverId);
  const errors = problemsOf(recipe).map(
    ({ field, message }): FieldError => ({ field: `recipe.${field}`, message }),
  );
  const { name } = recipe;
  if (server.tools.includes(name))
    errors.push({ field: "recipe.name", message: "The server has a tool of this name" });
  if (errors.length > 0) throw new AppError("invalid_input", "The recipe is not valid.", { errors });
  const current = await inForce(tx, serverId, name);
  if (replaces !== undefined && replaces !== (current?.version ?? null))
    throw new AppError("version_changed", "Somebody has changed this recipe meanwhile. Look at it again.", {
      extra: { version: current?.version ?? 0 },
    });
  if (!current && server.recipes.length >= MOST_RECIPES)
    throw new AppError("too_many_recipes", `A server has at most ${MOST_RECIPES} recipes. Remove one first.`);
  const event = await write(tx, actor, server, recipe);
  if (event) await appendEvents(tx, [event]);
  return { created: current === null };
}

/** Removes a recipe: no task is started with it any more, and those under way go on. Throws `not_found`, `defined_by_operator`. */
export async function removeRecipe(tx: Tx, actor: Actor, serverId: string, name: string): Promise<void> {
  const server = await lockOwn(tx, serverId);
  const event = await end(tx, actor, server, name);
  if (!event) throw notFound("recipe");
  await appendEvents(tx, [event]);
}

/** Makes the recipes of a server of the operator's file those of the file. Returns whether any changed. */
export async function syncRecipes(
  tx: Tx,
  actor: Actor,
  serverId: string,
  recipes: readonly Recipe[],
): Promise<boolean> {
  const server = await lock(tx, serverId);
  const given = new Set(recipes.map(({ name }) => name));
  const events: NewEvent[] = [];
  const keep = (event: NewEvent | null) => event && events.push(event);
  for (const name of server.recipes.filter((known) => !given.has(known)))
    keep(await end(tx, actor, server, name));
  for (const recipe of recipes) keep(await write(tx, actor, server, recipe));
  if (events.length > 0) await appendEvents(tx, events);
  return events.length > 0;
}

interface LockedServer {
  id: string;
  name: string;
  operatorEntry: string | null;
  /** Names of what the server itself lists. */
  tools: string[];
  /** Names of the recipes in force. */
  recipes: string[];
}

/** As `lock`, for a server that is not of the operator's file. */
async function lockOwn(tx: Tx, serverId: string): Promise<LockedServer> {
  const server = await lock(tx, serverId);
  if (server.operatorEntry !== null)
    throw new AppError(
      "defined_by_operator",
      "Only the operator of this installation can change this server.",
    );
  return server;
}

/** Lets one change of a server's recipes after the other through. */
async function lock(tx: Tx, serverId: string): Promise<LockedServer> {
  const [server] = await tx.$queryRaw<LockedServer[]>`
    SELECT id, name, operator_entry AS "operatorEntry",
      ARRAY(SELECT tool ->> 'name' FROM jsonb_array_elements(
        CASE jsonb_typeof(tools::jsonb) WHEN 'array' THEN tools::jsonb ELSE '[]' END) tool) AS tools,
      ARRAY(SELECT v.name FROM recipe_version v WHERE v.organization_id = s.organization_id AND v.server_id = s.id
        AND v.until IS NULL) AS recipes
    FROM server s WHERE organization_id = ${tx.organizationId}::uuid AND id = ${serverId}::uuid AND removed_at IS NULL
      AND NOT builtin FOR NO KEY UPDATE`;
  if (!server) throw notFound("server");
  return server;
}

function inForce(tx: Tx, serverId: string, name: string) {
  return tx.recipeVersion.findFirst({
    where: { organizationId: tx.organizationId, serverId, name, until: null },
  });
}

/** Returns null if this is the version in force. */
async function write(tx: Tx, actor: Actor, server: LockedServer, recipe: Recipe): Promise<NewEvent | null> {
  const { name } = recipe;
  const current = await inForce(tx, server.id, name);
  if (current && canonicalJson(recipeSchema.parse(current.recipe)) === canonicalJson(recipe)) return null;
  if (current) await close(tx, server.id, name);
  const { _max } = await tx.recipeVersion.aggregate({
    where: { organizationId: tx.organizationId, serverId: server.id, name },
    _max: { version: true },
  });
  const version = (_max.version ?? 0) + 1;
  await tx.recipeVersion.create({
    data: {
      organizationId: tx.organizationId,
      serverId: server.id,
      name,
      version,
      recipe: storable(recipe),
      madeBy: storable(actor),
    },
  });
  await toolsChanged(tx, server.id);
  return {
    type: current ? "recipe.changed" : "recipe.created",
    actor,
    data: { serverId: server.id, name: server.name, recipe: name, version },
  };
}

/** Returns null if there is none in force. */
async function end(tx: Tx, actor: Actor, server: LockedServer, name: string): Promise<NewEvent | null> {
  if (!(await close(tx, server.id, name))) return null;
  await toolsChanged(tx, server.id);
  return {
    type: "recipe.removed",
    actor,
    data: { serverId: server.id, name: server.name, recipe: name },
  };
}

async function close(tx: Tx, serverId: string, name: string): Promise<boolean> {
  const { count } = await tx.recipeVersion.updateMany({
    where: { organizationId: tx.organizationId, serverId, name, until: null },
    data: { until: new Date() },
  });
  // What people used of it is over too, as of a tool that its server changed.
  await tx.$executeRaw`UPDATE server_tool_version SET until = now() WHERE organization_id = ${tx.organizationId}::uuid
    AND server_id = ${serverId}::uuid AND tool = ${name} AND until IS NULL`;
  return count > 0;
}

/** Lists that were parsed before are known by the time at which the server gave them: this one is another. */
async function toolsChanged(tx: Tx, serverId: string): Promise<void> {
  await tx.$executeRaw`UPDATE server SET tools_checked_at = tools_checked_at + ${AN_INSTANT}
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${serverId}::uuid`;
  await publishChange(tx, "server", [serverId]);
}

const AN_INSTANT = Prisma.sql`interval '1 ms'`;
