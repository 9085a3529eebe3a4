"use client";

import { useState } from "react";
import { TextField } from "@/components/form/text-field.tsx";
import type { FieldErrors } from "@/components/form/use-form.ts";
import { Field, Select, Textarea } from "@/components/ui/field.tsx";
import { Switch } from "@/components/ui/switch.tsx";
import { ROLES } from "@/lib/access/roles.ts";
import type { SamlProvider } from "@/lib/people/saml/saml-schema.ts";
import { capitalise } from "@/lib/text/labels.ts";

/** How the identity provider is described. */
export type Way = "metadata" | "metadataUrl" | "hand";

export function DescriptionFields({ way, errors, isNew }: { way: Way; errors: FieldErrors; isNew: boolean }) {
  if (way === "metadata")
    return (
      <Field id="metadata" label="Metadata (XML)" error={errors.metadata} required>
        {(control) => (
          <Textarea
            {...control}
            name="metadata"
            rows={6}
            spellCheck={false}
            className="font-mono text-[13px]"
          />
        )}
      </Field>
    );
  if (way === "metadataUrl")
    return (
      <TextField
        name="metadataUrl"
        label="Address of the metadata"
        type="url"
        description="Intray reads it once, now. A new certificate needs another read."
        autoComplete="off"
        error={errors.metadataUrl ?? errors.metadata}
      />
    );
  return (
    <>
      {isNew && (
        <TextField name="entityId" label="Entity id (issuer)" autoComplete="off" error={errors.entityId} />
      )}
      <TextField
        name="ssoUrl"
        label="Sign-in address (HTTP-Redirect)"
        type="url"
        autoComplete="off"
        required={isNew}
        error={errors.ssoUrl}
      />
      <Field
        id="certificates"
        label="Signing certificates"
        description="PEM, one to five: for a change of keys, the old one and the new one."
        error={errors.certificates}
        required={isNew}
      >
        {(control) => (
          <Textarea
            {...control}
            name="certificates"
            rows={4}
            spellCheck={false}
            className="font-mono text-[13px]"
          />
        )}
      </Field>
    </>
  );
}

/** Who gets in, and as what. */
export function RuleFields({ provider, errors }: { provider?: SamlProvider; errors: FieldErrors }) {
  const [creates, setCreates] = useState(provider?.createAccounts ?? false);
  const [unasked, setUnasked] = useState(provider?.idpInitiated ?? false);
  const [signs, setSigns] = useState(provider?.signRequests ?? false);
  return (
    <>
      <Switch
        checked={creates}
        onChange={setCreates}
        label="New people may sign in"
        description="They become members by the rules below. Off: only people who were invited."
      />
      <input type="hidden" name="createAccounts" value={String(creates)} />
      <Field id="defaultRole" label="New people become" error={errors.defaultRole} required={false}>
        {(control) => (
          <Select {...control} name="defaultRole" defaultValue={provider?.defaultRole ?? ""}>
            <option value="">Nothing, unless a group says so</option>
            {ROLES.filter((role) => role !== "owner").map((role) => (
              <option key={role} value={role}>
                {capitalise(role)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field
        id="groups"
        label="Groups and roles"
        description="A line each: the group as the provider writes it, =, the role. The strongest role wins at each sign-in."
        error={Object.entries(errors).find(([field]) => field.startsWith("groups"))?.[1]}
        required={false}
      >
        {(control) => (
          <Textarea
            {...control}
            name="groups"
            rows={3}
            spellCheck={false}
            placeholder="finance-approvers = approver"
            defaultValue={provider?.groups.map(({ claim, role }) => `${claim} = ${role}`).join("\n")}
          />
        )}
      </Field>
      <div className="grid gap-4 md:grid-cols-3">
        {(["emailAttribute", "nameAttribute", "groupsAttribute"] as const).map((name, at) => (
          <TextField
            key={name}
            name={name}
            label={["E-mail attribute", "Name attribute", "Groups attribute"][at] ?? ""}
            placeholder="the usual ones"
            autoComplete="off"
            required={false}
            defaultValue={provider?.[name] ?? ""}
            error={errors[name]}
          />
        ))}
      </div>
      <Switch
        checked={signs}
        onChange={setSigns}
        label="Sign requests"
        description="For providers that want signed requests."
      />
      <input type="hidden" name="signRequests" value={String(signs)} />
      <Switch
        checked={unasked}
        onChange={setUnasked}
        label="The provider may begin a sign-in"
        description="Opens Intray from the provider’s own page. Another site can then sign a browser in as somebody else without being asked."
      />
      <input type="hidden" name="idpInitiated" value={String(unasked)} />
    </>
  );
}

/** The form's values as the API takes them. */
export function readRules(data: FormData): object {
  const text = (name: string) => String(data.get(name) ?? "").trim();
  const lines = text("groups")
    .split("\n")
    .filter((line) => line.trim() !== "");
  return {
    createAccounts: text("createAccounts") === "true",
    signRequests: text("signRequests") === "true",
    idpInitiated: text("idpInitiated") === "true",
    defaultRole: text("defaultRole") || null,
    emailAttribute: text("emailAttribute") || null,
    nameAttribute: text("nameAttribute") || null,
    groupsAttribute: text("groupsAttribute") || null,
    groups: lines.map((line) => {
      const at = line.lastIndexOf("=");
      return {
        claim: line.slice(0, at).trim(),
        role: line
          .slice(at + 1)
          .trim()
          .toLowerCase(),
      };
    }),
  };
}

/** What describes the provider; a field that is left empty says nothing. */
export function readDescription(data: FormData, names: string[]): object {
  const entries = names.map((name) => [name, String(data.get(name) ?? "").trim()] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== ""));
}
