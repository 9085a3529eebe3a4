"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmChange } from "@/components/form/confirm-change.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Field, Textarea } from "@/components/ui/field.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { RecipeVersion } from "@/lib/servers/recipes/recipe-schema.ts";
import type { Server } from "@/lib/servers/server-schema.ts";
import { hasEnded, TASK_STATES } from "@/lib/tasks/task-status.ts";
import { plural } from "@/lib/text/labels.ts";
import { ApiError, errorSentence } from "@/lib/web/client/base/client.ts";
import { removeRecipe, saveRecipe, serverKeys } from "@/lib/web/client/servers.ts";
import { taskTotal } from "@/lib/web/client/tasks/tasks.ts";
import { NotARecipe, readRecipe, TEMPLATE } from "./recipe-text.ts";
import { TryRecipe } from "./try-recipe.tsx";

interface Props {
  server: Server;
  /** Null: a new one. */
  recipe: RecipeVersion | null;
  mayChange: boolean;
  onClose(): void;
}

/** A recipe as JSON, to try and to save as its next version. */
export function RecipeDialog(props: Props) {
  const { recipe, server, mayChange, onClose } = props;
  const [text, setText] = useState(() => (recipe ? JSON.stringify(recipe.recipe, null, 2) : TEMPLATE));
  const [isRemoving, setIsRemoving] = useState(false);
  if (recipe && isRemoving)
    return (
      <RemoveRecipe
        server={server}
        recipe={recipe}
        onDismiss={() => setIsRemoving(false)}
        onRemoved={onClose}
      />
    );
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={recipe ? `Recipe ${recipe.name}` : "Add a recipe"}
      description={
        mayChange
          ? "Tasks keep the version that they were started with."
          : "The operator of this installation defines this server and its recipes."
      }
      className="md:max-w-3xl"
    >
      <RecipeForm {...props} text={text} onText={setText} onRemove={() => setIsRemoving(true)} />
    </Dialog>
  );
}

interface FormProps extends Props {
  /** The recipe as it stands on screen. */
  text: string;
  onText(text: string): void;
  onRemove(): void;
}

function RecipeForm({ server, recipe, mayChange, text, onText, onRemove, onClose }: FormProps) {
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: async () => {
      const read = readRecipe(text);
      // Under another name it is another recipe.
      return saveRecipe(server.id, read.name === recipe?.name ? recipe.version : 0, read);
    },
    onSuccess: async ({ version, problem }) => {
      await client.invalidateQueries({ queryKey: serverKeys.server(server.id) });
      // A recipe may be written before its tools are there; whoever mistypes one has to know at once.
      if (problem) toast.error(`Saved as version ${version}, but it can’t be started: ${problem}`);
      onClose();
    },
  });
  const problems = problemsIn(save.error);
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Field
        id="recipe"
        label="Recipe"
        required
        description={
          <>
            JSON, with expressions in CEL. <code>docs/recipes.md</code>, which comes with Intray, describes
            each property and what expressions can use.
          </>
        }
        error={problems[0]}
      >
        {(control) => (
          <Textarea
            {...control}
            rows={18}
            className="font-mono text-[13px]"
            spellCheck={false}
            readOnly={!mayChange}
            value={text}
            onChange={(event) => onText(event.target.value)}
          />
        )}
      </Field>
      {problems.length > 1 && (
        <ul aria-label="Further mistakes" className="flex flex-col gap-1 text-[13px] text-bad">
          {problems.slice(1).map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {save.error && problems.length === 0 && <Notice live tone="bad" title={errorSentence(save.error)} />}
      <TryRecipe server={server} text={text} />
      <DialogActions>
        {recipe && mayChange && (
          <Button className="mr-auto" disabled={save.isPending} onClick={onRemove}>
            Remove the recipe…
          </Button>
        )}
        <Button onClick={onClose}>Close</Button>
        {mayChange && (
          <Button type="submit" variant="primary" disabled={save.isPending}>
            {save.isPending ? "Saving…" : recipe ? "Save as the next version" : "Add the recipe"}
          </Button>
        )}
      </DialogActions>
    </form>
  );
}

function problemsIn(error: Error | null): string[] {
  if (error instanceof NotARecipe) return error.problems;
  if (!(error instanceof ApiError)) return [];
  return error.errors.map(({ field, message }) => `${field.replace(/^recipe\./, "")}: ${message}`);
}

/** Says what becomes of a recipe's tasks before it is removed. */
function RemoveRecipe({
  server,
  recipe: { name },
  onDismiss,
  onRemoved,
}: {
  server: Server;
  recipe: RecipeVersion;
  onDismiss(): void;
  onRemoved(): void;
}) {
  const state = TASK_STATES.filter((one) => !hasEnded(one)).join();
  const open = useQuery(taskTotal({ serverId: server.id, tool: name, state })).data?.total;
  return (
    <ConfirmChange
      keys={[serverKeys.server(server.id)]}
      call={() => removeRecipe(server.id, name)}
      done={`The recipe ${name} was removed`}
      onDone={onRemoved}
      onClose={onDismiss}
      title={`Remove the recipe ${name}?`}
      description={`People and agents can no longer start tasks with it. Open tasks continue with their version, and their questions still come to the inbox.${open ? ` Open now: ${plural(open, "task")}.` : ""}`}
      confirm="Remove the recipe"
      dismiss="Keep it"
      destructive
    />
  );
}
