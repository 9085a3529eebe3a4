import { queryOptions } from "@tanstack/react-query";
import type {
  Recipe,
  RecipeVersion,
  TriedRecipe,
  TryRecipeInput,
} from "@/lib/servers/recipes/recipe-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { serverKeys } from "@/lib/web/client/server-keys.ts";

/** A server's recipes. Whoever edits one saves over the version that was read. */
export function serverRecipes(id: string) {
  return queryOptions({
    queryKey: [...serverKeys.server(id), "recipes"] as const,
    queryFn: ({ signal }) => api.get<{ items: RecipeVersion[] }>(`/api/v1/servers/${id}/recipes`, signal),
  });
}

/** Saves over a version; 0: there is none yet. Refused with `version_changed` if somebody else has saved meanwhile. */
export function saveRecipe(id: string, version: number, recipe: Recipe): Promise<RecipeVersion> {
  return api.put<RecipeVersion>(`/api/v1/servers/${id}/recipes/${recipe.name}`, recipe, {
    headers: { "if-match": `"${version}"` },
  });
}

export function removeRecipe(id: string, name: string): Promise<void> {
  return api.delete(`/api/v1/servers/${id}/recipes/${name}`);
}

export function tryRecipe(
  id: string,
  recipe: Recipe,
  on: Omit<TryRecipeInput, "recipe">,
): Promise<TriedRecipe> {
  return api.post<TriedRecipe>(`/api/v1/servers/${id}/recipes/${recipe.name}/try`, { ...on, recipe });
}
