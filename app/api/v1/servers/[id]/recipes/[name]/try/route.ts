import { recipeName, triedRecipeSchema, tryRecipeSchema } from "@/lib/servers/recipes/recipe-schema.ts";
import { tryRecipe } from "@/lib/servers/recipes/try.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { throttle } from "@/lib/web/http/throttle.ts";
import { services } from "@/lib/web/tenant.ts";
import { CHECKS_PER_CALLER } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "servers:manage",
      summary:
        "Try a recipe, saved or given, on a recorded reply or on a process's current status. Only tools declared read-only are called",
      params: idParams.extend({ name: recipeName }),
      body: tryRecipeSchema,
      output: triedRecipeSchema,
      errors: ["not_read_only", "server_paused", "server_unavailable", "throttled"],
    },
    async ({ caller, params: { id, name }, body }) => {
      await throttle(`check ${caller.principal.actor.id}`, CHECKS_PER_CALLER);
      return tryRecipe(await services(), caller.principal, id, name, body);
    },
  ),
});
