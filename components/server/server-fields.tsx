"use client";

import type { ReactNode } from "react";
import { TextField } from "@/components/form/text-field.tsx";
import type { FieldErrors } from "@/components/form/use-form.ts";
import { Field, Select } from "@/components/ui/field.tsx";
import type { EraSetting } from "@/lib/servers/server-schema.ts";

export type AuthKind = "keep" | "none" | "oauth" | "bearer";

export function NameField({ name, errors }: { name?: string; errors: FieldErrors }) {
  return <TextField name="name" label="Name" autoComplete="off" defaultValue={name} error={errors.name} />;
}

export function EraField({ era, errors }: { era?: EraSetting; errors: FieldErrors }) {
  return (
    <Field id="era" label="Protocol version" error={errors.era} required>
      {(control) => (
        <Select {...control} name="era" defaultValue={era ?? "auto"}>
          <option value="auto">Detect automatically</option>
          <option value="2026-07-28">2026-07-28</option>
          <option value="2025-11-25">2025-11-25</option>
        </Select>
      )}
    </Field>
  );
}

/** How Intray signs in at the server. `keep` offers to keep the stored credentials. */
export function AuthKindField({
  kind,
  onChange,
  keep = false,
}: {
  kind: AuthKind;
  onChange: (kind: AuthKind) => void;
  keep?: boolean;
}) {
  return (
    <Field id="authKind" label="Credentials" required>
      {(control) => (
        <Select
          {...control}
          name="authKind"
          value={kind}
          onChange={(event) => onChange(event.target.value as AuthKind)}
        >
          {keep && <option value="keep">Leave unchanged</option>}
          <option value="none">None</option>
          <option value="oauth">OAuth (sign in at the server)</option>
          <option value="bearer">Bearer token</option>
        </Select>
      )}
    </Field>
  );
}

export function TokenField({ errors, onChange }: { errors: FieldErrors; onChange?: () => void }) {
  return (
    <TextField
      name="token"
      label="Token"
      type="password"
      autoComplete="off"
      description="Stored encrypted; it is never shown again."
      error={errors.token ?? errors["auth.token"]}
      {...(onChange && { onChange })}
    />
  );
}

/** OAuth settings. Most servers need none: Intray discovers endpoints and registers itself. */
export function OAuthFields({ errors }: { errors: FieldErrors }) {
  const error = (name: string) => errors[name] ?? errors[`auth.${name}`];
  return (
    <>
      <TextField
        name="clientId"
        label="Client ID"
        description="Only if the server’s owner gave you one."
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
        description="Separated by spaces. Empty: the scopes that the server asks for."
        autoComplete="off"
        required={false}
        error={error("scopes")}
      />
    </>
  );
}

/** Fields that few need, folded. Opens when one of them is refused. */
export function Advanced({
  title = "Advanced",
  refused,
  children,
}: {
  title?: string;
  refused: boolean;
  children: ReactNode;
}) {
  return (
    <details open={refused || undefined} className="rounded-lg border border-line px-3 py-2">
      <summary className="rounded-sm text-[13px] text-muted hover:text-ink max-md:-my-2 max-md:py-3">
        {title}
      </summary>
      <div className="flex flex-col gap-4 pt-3 pb-1.5">{children}</div>
    </details>
  );
}

/** Whether one of the folded fields is refused. */
export function isAdvancedRefused(errors: FieldErrors): boolean {
  return Object.keys(errors).some((name) => /^(era|(auth\.)?(clientId|clientSecret|scopes)\b)/.test(name));
}

/**
 * Reads the `auth` part of the API's input from the form. Returns undefined to keep the stored credentials.
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
