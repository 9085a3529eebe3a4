"use client";

import { type SubmitEvent, useEffect, useRef } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Field } from "@/components/ui/field.tsx";
import { Input } from "@/components/ui/input.tsx";

/** The second factor: a code of the authenticator app, or a recovery code. */
export function CodeForm({
  pending,
  onCode,
  onBack,
}: {
  pending: boolean;
  onCode: (code: string) => void;
  onBack: () => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    onCode(String(new FormData(event.currentTarget).get("code")));
    input.current?.select();
  };
  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-4">
      <Field
        id="code"
        label="Code"
        description="Six digits from your authenticator app, or one of your recovery codes."
        required
      >
        {(control) => (
          <Input
            {...control}
            ref={input}
            name="code"
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={40}
            required
            className="tabular-nums tracking-wide"
          />
        )}
      </Field>
      <Button type="submit" variant="primary" disabled={pending}>
        {pending ? "Signing in…" : "Continue"}
      </Button>
      <Button variant="ghost" onClick={onBack} disabled={pending}>
        Back
      </Button>
    </form>
  );
}
