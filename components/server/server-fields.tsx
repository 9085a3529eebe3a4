"use client";

import { useState } from "react";
import { TextField } from "@/components/form/text-field.tsx";
import type { FieldErrors } from "@/components/form/use-form.ts";
import { Field } from "@/components/ui/field.tsx";
import { Select } from "@/components/ui/select.tsx";
import type { EraSetting } from "@/lib/servers/schema.ts";

/** Name and era, shared by the forms that connect and edit a server. */
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

/** The credentials that Intray sends to the server. `keep` offers to keep the stored token. */
export function ServerAuth({ keep = false, errors }: { keep?: boolean; errors: FieldErrors }) {
  const [kind, setKind] = useState(keep ? "keep" : "none");
  return (
    <>
      <Field id="authKind" label="Credentials" required>
        {(control) => (
          <Select {...control} name="authKind" value={kind} onChange={(event) => setKind(event.target.value)}>
            {keep && <option value="keep">Leave as they are</option>}
            <option value="none">None</option>
            <option value="oauth">OAuth (sign in at the server)</option>
            <option value="bearer">Bearer token</option>
          </Select>
        )}
      </Field>
      {kind === "oauth" && <OAuthFields errors={errors} />}
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

/** OAuth settings. Most servers need none: Intray discovers endpoints and registers itself. */
function OAuthFields({ errors }: { errors: FieldErrors }) {
  const error = (name: string) => errors[name] ?? errors[`auth.${name}`];
  return (
    <div className="flex flex-col gap-3">
      <p className="text-[13px] text-muted">
        Nobody’s password comes to Intray: people sign in at the server’s own page, each for themselves or an
        admin for all.
      </p>
      <details className="rounded-lg border border-line px-3 py-2">
        <summary className="rounded-sm text-[13px] text-muted hover:text-ink max-md:-my-2 max-md:py-3">
          More: client id, secret and scopes
        </summary>
        <div className="flex flex-col gap-4 pt-3 pb-1.5">
          <TextField
            name="clientId"
            label="Client id"
            description="Only where the server’s people gave you one."
            autoComplete="off"
            required={false}
            error={error("clientId")}
          />
          <TextField
            name="clientSecret"
            label="Client secret"
            type="password"
            description="Stored encrypted; it is never shown again."
            autoComplete="off"
            required={false}
            error={error("clientSecret")}
          />
          <TextField
            name="scopes"
            label="Scopes"
            description="With spaces between them. Empty: what the server asks for."
            autoComplete="off"
            required={false}
            error={error("scopes")}
          />
        </div>
      </details>
    </div>
  );
}

/**
 * Reads the `auth` part of the API's input from the form above. Returns undefined to keep the stored
 * credentials.
 */
export function readServerAuth(data: FormData): unknown {
  const kind = data.get("authKind");
  if (kind === "bearer") return { kind, token: data.get("token") };
  if (kind === "oauth") {
    const text = (name: string) => String(data.get(name) ?? "").trim();
    const scopes = text("scopes").split(/\s+/).filter(Boolean);
    return {
      kind,
      ...(text("clientId") && { clientId: text("clientId") }),
      ...(text("clientSecret") && { clientSecret: text("clientSecret") }),
      ...(scopes.length > 0 && { scopes }),
    };
  }
  return kind === "none" ? { kind } : undefined;
}
