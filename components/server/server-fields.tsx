"use client";

import { useState } from "react";
import { TextField } from "@/components/form/text-field.tsx";
import type { FieldErrors } from "@/components/form/use-form.ts";
import { Field } from "@/components/ui/field.tsx";
import { Select } from "@/components/ui/select.tsx";
import type { EraSetting } from "@/lib/servers/schema.ts";

/** Name and era, as connecting and editing share them. */
export function ServerBasics({
  name,
  era,
  errors,
}: {
  name?: string;
  era?: EraSetting;
  errors: FieldErrors;
}) {
  return (
    <>
      <TextField name="name" label="Name" autoComplete="off" defaultValue={name} error={errors.name} />
      <Field
        id="era"
        label="Protocol"
        hint="Found out by asking the server, unless you know better."
        error={errors.era}
        required
      >
        {(control) => (
          <Select {...control} name="era" defaultValue={era ?? "auto"}>
            <option value="auto">Find out</option>
            <option value="2026-07-28">2026-07-28</option>
            <option value="2025-11-25">2025-11-25</option>
          </Select>
        )}
      </Field>
    </>
  );
}

/** How Intray identifies itself to the server. `keep` offers to leave a stored token as it is. */
export function ServerAuth({ keep = false, errors }: { keep?: boolean; errors: FieldErrors }) {
  const [kind, setKind] = useState(keep ? "keep" : "none");
  return (
    <>
      <Field id="authKind" label="Credentials" required>
        {(control) => (
          <Select {...control} name="authKind" value={kind} onChange={(event) => setKind(event.target.value)}>
            {keep && <option value="keep">Leave as they are</option>}
            <option value="none">None</option>
            <option value="bearer">Bearer token</option>
          </Select>
        )}
      </Field>
      {kind === "bearer" && (
        <TextField
          name="token"
          label="Token"
          type="password"
          autoComplete="off"
          description="Stored encrypted; it is never shown again."
          error={errors.token ?? errors["auth.token"]}
        />
      )}
    </>
  );
}

/** The `auth` part of the API's input from the form above; undefined leaves it as it is. */
export function readServerAuth(data: FormData): unknown {
  const kind = data.get("authKind");
  if (kind === "bearer") return { kind, token: data.get("token") };
  return kind === "none" ? { kind } : undefined;
}
