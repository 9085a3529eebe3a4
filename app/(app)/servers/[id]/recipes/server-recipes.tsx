"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { RecipeVersion } from "@/lib/servers/recipes/recipe-schema.ts";
import type { Server } from "@/lib/servers/server-schema.ts";
import { useKeptError } from "@/lib/web/client/base/query-client.ts";
import { serverRecipes } from "@/lib/web/client/servers.ts";
import { RecipeDialog } from "./recipe-dialog.tsx";

/** For admins: durable tasks that are made of the server's tools. */
export function ServerRecipes({ server }: { server: Server }) {
  const me = useMe();
  const mayManage = me.may("servers:manage");
  const recipes = useQuery({ ...serverRecipes(server.id), enabled: mayManage });
  const failure = useKeptError(recipes);
  const [edited, setEdited] = useState<RecipeVersion | "new" | null>(null);
  if (!mayManage) return null;
  const mayChange = server.origin === "admin";
  const items = recipes.data?.items ?? [];
  return (
    <section aria-labelledby="recipes-heading" className="flex flex-col gap-2.5">
      <div className="flex flex-wrap items-center gap-3">
        <h2 id="recipes-heading" className="font-medium text-[13px] text-muted">
          Recipes
        </h2>
        {mayChange && (
          <Button className="ml-auto" onClick={() => setEdited("new")}>
            Add a recipe…
          </Button>
        )}
      </div>
      {failure && !recipes.data && (
        <LoadFailure what="The recipes" error={failure} onRetry={() => void recipes.refetch()} />
      )}
      {recipes.data && items.length === 0 && (
        <p className="max-w-3xl text-muted">
          A recipe makes one durable task of tools that answer at once, such as submit, status, approve and
          reject. <code>docs/recipes.md</code>, which comes with Intray, has an example.
        </p>
      )}
      {items.length > 0 && (
        <ul className="flex flex-col divide-y divide-line rounded-lg border border-line bg-panel">
          {items.map((recipe) => (
            <li key={recipe.name} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3">
              <span className="min-w-48 flex-1">
                <span className="font-medium">
                  <PlainText text={recipe.recipe.title ?? recipe.name} />
                </span>
                {recipe.recipe.title && (
                  <span className="ml-2.5 font-mono text-muted text-xs">{recipe.name}</span>
                )}
                <span className="block text-[13px] text-muted">
                  Version {recipe.version} · {actorWords(recipe.madeBy)} · <TimeAgo at={recipe.madeAt} />
                </span>
                {recipe.problem && (
                  <span className="block text-[13px] text-muted">
                    <PlainText text={recipe.problem} />
                  </span>
                )}
              </span>
              {recipe.problem && <Badge tone="wait">Not offered</Badge>}
              <Button
                onClick={() => setEdited(recipe)}
                aria-label={`${mayChange ? "Edit" : "Show"} ${recipe.name}`}
              >
                {mayChange ? "Edit…" : "Show…"}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {edited && (
        <RecipeDialog
          server={server}
          recipe={edited === "new" ? null : edited}
          mayChange={mayChange}
          onClose={() => setEdited(null)}
        />
      )}
    </section>
  );
}
