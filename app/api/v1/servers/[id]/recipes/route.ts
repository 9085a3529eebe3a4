import { listRecipes, readRecipe } from "@/lib/servers/recipes/recipe-reads.ts";
import { recipeListSchema, recipeSchema, recipeVersionSchema } from "@/lib/servers/recipes/recipe-schema.ts";
import { saveRecipe } from "@/lib/servers/recipes/recipe-writes.ts";
import { readOwnTools } from "@/lib/servers/server-reads.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "servers:manage",
      summary: "A server's recipes: durable tasks made of tools that answer at once",
      params: idParams,
      output: recipeListSchema,
    },
    async (tx, { params }) => {
      const tools = await readOwnTools(tx, params.id);
      return { items: await listRecipes(tx, params.id, tools) };
    },
  ),
  POST: tenantRoute(
    {
      auth: "servers:manage",
      summary: "Make a recipe; refused if there is one of its name",
      params: idParams,
      body: recipeSchema,
      output: recipeVersionSchema,
      status: 201,
      errors: ["defined_by_operator", "too_many_recipes", "version_changed"],
    },
    async (tx, { principal, params, body }) => {
      const input = { recipe: body, replaces: null };
      await saveRecipe(tx, principal.actor, params.id, input);
      const tools = await readOwnTools(tx, params.id);
      return readRecipe(tx, params.id, body.name, tools);
    },
  ),
});
