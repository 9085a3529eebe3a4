"use client";

import { type FormEvent, useId, useState } from "react";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Field, Input } from "@/components/ui/field.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { ApiError } from "@/lib/web/client/base/client.ts";

/**
 * Lets an owner set rules live whose record does not speak for them: whoever means it types the name of each. Nothing where a save
 * was not refused for that. `policy`: what was to be saved.
 */
export function AcknowledgeLive({
  error,
  policy,
  isPending,
  onSave,
}: {
  error: Error | null;
  policy: unknown;
  isPending: boolean;
  onSave: (names: string[]) => void;
}) {
  const unproven = unprovenIn(error, policy);
  if (unproven.length === 0) return null;
  return (
    <Typed
      key={unproven.map(({ name }) => name).join("\n")}
      unproven={unproven}
      isPending={isPending}
      onSave={onSave}
    />
  );
}

interface Unproven {
  name: string;
  message: string;
}

function Typed({
  unproven,
  isPending,
  onSave,
}: {
  unproven: Unproven[];
  isPending: boolean;
  onSave: (names: string[]) => void;
}) {
  const id = useId();
  const [typed, setTyped] = useState<Record<string, string>>({});
  const isWhole = unproven.every(({ name }) => typed[name]?.trim() === name);
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (isWhole) onSave(unproven.map(({ name }) => name));
  };
  return (
    <Notice tone="wait" title="Too few decisions were compared for this to go live">
      <form className="flex flex-col gap-3" onSubmit={save}>
        {unproven.map(({ name, message }, at) => (
          <Field
            key={name}
            id={`${id}-${at}`}
            required
            label="Name of the rule"
            description={<PlainText text={message} />}
            hint={
              <>
                Type “<PlainText text={name} />” to let it answer anyway.
              </>
            }
          >
            {(control) => (
              <Input
                {...control}
                autoComplete="off"
                value={typed[name] ?? ""}
                onChange={(event) => setTyped((before) => ({ ...before, [name]: event.target.value }))}
              />
            )}
          </Field>
        ))}
        <span>
          <Button type="submit" variant="destructive" disabled={!isWhole || isPending}>
            {isPending ? "Saving…" : "Save, and let it answer"}
          </Button>
        </span>
      </form>
    </Notice>
  );
}

/** The rules that may go live only if they are named: the API says so at their mode. */
function unprovenIn(error: Error | null, policy: unknown): Unproven[] {
  if (!(error instanceof ApiError)) return [];
  const { automatic = [] } = policy as { automatic?: { name?: unknown; mode?: unknown }[] };
  return error.errors.flatMap(({ field, message }) => {
    const at = /^automatic\.(\d+)\.mode$/.exec(field)?.[1];
    const rule = at === undefined ? undefined : automatic[Number(at)];
    return rule?.mode === "live" && typeof rule.name === "string" ? [{ name: rule.name, message }] : [];
  });
}
