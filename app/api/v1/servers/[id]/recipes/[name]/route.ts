import { AppError } from "@/lib/base/errors.ts";
import { readRecipe } from "@/lib/servers/recipes/recipe-reads.ts";
import { recipeName, recipeSchema, recipeVersionSchema } from "@/lib/servers/recipes/recipe-schema.ts";
import { removeRecipe, saveRecipe } from "@/lib/servers/recipes/recipe-writes.ts";
import { readOwnTools } from "@/lib/servers/server-reads.ts";
import { readVersion, versionHeader } from "@/lib/web/http/request-headers.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

const params = idParams.extend({ name: recipeName });

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "servers:manage",
      summary: "The current version of a recipe",
      params,
      output: recipeVersionSchema,
    },
    ({ caller, params: { id, name }, reply }) =>
      within(caller, async (tx) => {
        const tools = await readOwnTools(tx, id);
        const recipe = await readRecipe(tx, id, name, tools);
        reply.headers.set("etag", `"${recipe.version}"`);
        return recipe;
      }),
  ),
  PUT: route(
    {
      auth: "servers:manage",
      summary:
        "Make a recipe, or its next version. Tasks keep the version that they were started with. With If-Match, replaces only that version",
      params,
      body: recipeSchema,
      output: recipeVersionSchema,
      alsoStatuses: [201],
      headers: versionHeader,
      errors: ["defined_by_operator", "too_many_recipes", "version_changed"],
    },
    ({ caller, params: { id, name }, body, request, reply }) =>
      within(caller, async (tx, principal) => {
        if (body.name !== name)
          throw new AppError("invalid_input", "Some values are not valid.", {
            errors: [{ field: "name", message: `The address names ${name}` }],
          });
        const replaces = request.headers.has("if-match") ? readVersion(request) || null : undefined;
        const input = { recipe: body, ...(replaces !== undefined && { replaces }) };
        const { created } = await saveRecipe(tx, principal.actor, id, input);
        if (created) reply.status = 201;
        const tools = await readOwnTools(tx, id);
        const saved = await readRecipe(tx, id, name, tools);
        reply.headers.set("etag", `"${saved.version}"`);
        return saved;
      }),
  ),
  DELETE: route(
    {
      auth: "servers:manage",
      summary: "Remove a recipe. Tasks that were started with it continue",
      params,
      errors: ["defined_by_operator"],
    },
    ({ caller, params: { id, name } }) =>
      within(caller, (tx, principal) => removeRecipe(tx, principal.actor, id, name)),
  ),
});
