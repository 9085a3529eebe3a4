"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSave } from "@/components/form/change.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Field, Input, Select } from "@/components/ui/field.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Switch } from "@/components/ui/switch.tsx";
import { ROLES } from "@/lib/access/roles.ts";
import type { ShownSignInPolicy, SignInPolicy } from "@/lib/people/organizations/sign-in/sign-in-schema.ts";
import { formatDuration } from "@/lib/text/duration.ts";
import { capitalise } from "@/lib/text/labels.ts";
import { ApiError, api, errorSentence } from "@/lib/web/client/base/client.ts";
import { organizationDomains, signInPolicy } from "@/lib/web/client/identity.ts";
import { Section } from "../section.tsx";
import { Domains } from "./domains.tsx";

/** How the organization's people sign in, and which domains are its own. */
export function SignInPolicyScreen() {
  const me = useMe();
  const mayRead = me.may("settings:manage");
  const policy = useQuery({ ...signInPolicy(), enabled: mayRead });
  const domains = useQuery({ ...organizationDomains(), enabled: mayRead });
  if (!mayRead) return <Notice title="Only admins see how people sign in.">Ask one of them.</Notice>;
  const failed = [policy, domains].find((query) => query.isError && !query.data);
  if (failed?.error) {
    const retry = () => void Promise.all([policy.refetch(), domains.refetch()]);
    return <LoadFailure what="The settings" error={failed.error} onRetry={retry} />;
  }
  if (!policy.data || !domains.data) return <div aria-hidden className="skeleton h-80" />;
  return (
    <>
      <PolicyForm key={JSON.stringify(policy.data)} saved={policy.data} mayChange={me.may("owners:manage")} />
      <Domains domains={domains.data.items} />
    </>
  );
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TIMES = {
  providerAgeMs: [HOUR, 4 * HOUR, 8 * HOUR, 24 * HOUR, 168 * HOUR],
  keyAgeMs: [24 * HOUR, 168 * HOUR, 720 * HOUR],
  sessionMs: [HOUR, 2 * HOUR, 4 * HOUR],
  idleMs: [5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR],
};
type Time = keyof typeof TIMES;

/** The rules for signing in. Owners change them; they bind open sessions at once. */
function PolicyForm({ saved, mayChange }: { saved: ShownSignInPolicy; mayChange: boolean }) {
  const { offered, ...policy } = saved;
  const [wanted, setWanted] = useState<SignInPolicy>(policy);
  const change = (part: Partial<SignInPolicy>) => setWanted({ ...wanted, ...part });
  const save = useSave(
    signInPolicy().queryKey,
    (input: SignInPolicy) => api.put<ShownSignInPolicy>("/api/v1/organization/sign-in", input),
    { done: "Saved" },
  );
  const isChanged = JSON.stringify(wanted) !== JSON.stringify(policy);
  const gone = policy.providers.filter((id) => !offered.some((provider) => provider.id === id));
  const time = (kind: Time, label: string, description: string, none: string) => (
    <Field id={kind} label={label} description={description} required>
      {(control) => (
        <Select
          {...control}
          className="w-56 max-md:w-full"
          disabled={!mayChange}
          value={wanted[kind] ?? ""}
          onChange={({ target }) => change({ [kind]: target.value === "" ? null : Number(target.value) })}
        >
          <option value="">{none}</option>
          {choices(kind, policy[kind]).map((ms) => (
            <option key={ms} value={ms}>
              {formatDuration(ms)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
  const words = (kind: "acrValues" | "amrValues", label: string, description: string) => (
    <Field id={kind} label={label} description={description} error={fieldError(save.error, kind)}>
      {(control) => (
        <Input
          {...control}
          disabled={!mayChange}
          spellCheck={false}
          autoCapitalize="none"
          defaultValue={wanted[kind].join(" ")}
          onChange={({ target }) => change({ [kind]: target.value.split(/\s+/).filter(Boolean) })}
        />
      )}
    </Field>
  );
  return (
    <Section
      title="Sign-in"
      description="Requirements for signing in to this organization. They apply to open sessions at once, and to no other organization."
    >
      <form
        noValidate
        className="flex flex-col gap-5"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(wanted);
        }}
      >
        {!mayChange && <Notice title="Only owners change this." />}
        <fieldset className="flex flex-col gap-3">
          <legend className="mb-2 font-medium text-[13px]">Require single sign-on through</legend>
          {offered.length === 0 && (
            <p className="text-[13px] text-muted">
              No sign-in provider is set up. The operator of this Intray sets one up.
            </p>
          )}
          {[...offered, ...gone.map((id) => ({ id, name: `${id} (not set up any more)` }))].map(
            ({ id, name }) => (
              <Switch
                key={id}
                label={name}
                disabled={!mayChange}
                checked={wanted.providers.includes(id)}
                onChange={(isOn) =>
                  change({
                    providers: isOn
                      ? [...wanted.providers, id]
                      : wanted.providers.filter((provider) => provider !== id),
                  })
                }
              />
            ),
          )}
          <p className="text-[13px] text-muted">
            If none is required, people can sign in in any way. You can require only what your own sign-in
            meets.
          </p>
        </fieldset>
        {/* Without a provider these have no effect. */}
        {wanted.providers.length > 0 && (
          <>
            {time(
              "providerAgeMs",
              "Ask the provider again after",
              "A person whom the provider locked out loses access here after this time at the latest.",
              "Never",
            )}
            {time(
              "keyAgeMs",
              "Suspend API keys after",
              "Counted from the last sign-in of the key’s creator, or of the service account’s owner, through the provider. The next sign-in resumes them.",
              "Never",
            )}
            {words(
              "acrValues",
              "Authentication classes (acr)",
              "One of these has to be in the ID token. Separate with spaces.",
            )}
            {words(
              "amrValues",
              "Authentication methods (amr)",
              "All of these have to be in the ID token, such as mfa.",
            )}
          </>
        )}
        <Field
          id="secondFactorFrom"
          label="Require two-step sign-in from"
          description="For passwords. A passkey counts as two steps, and a provider asks by its own rules."
          required
        >
          {(control) => (
            <Select
              {...control}
              className="w-56 max-md:w-full"
              disabled={!mayChange}
              value={wanted.secondFactorFrom ?? ""}
              onChange={({ target }) =>
                change({ secondFactorFrom: ROLES.find((role) => role === target.value) ?? null })
              }
            >
              <option value="">Nobody</option>
              {ROLES.map((role) => (
                <option key={role} value={role}>
                  {capitalise(role)} and stronger
                </option>
              ))}
            </Select>
          )}
        </Field>
        {time("sessionMs", "Sessions end after", "From signing in, even if used.", "8 hours")}
        {time("idleMs", "Idle sessions end after", "Without a request.", "2 hours")}
        {save.error && <Notice live tone="bad" title={errorSentence(save.error)} />}
        {mayChange && (
          <span>
            <Button type="submit" variant="primary" disabled={!isChanged || save.isPending}>
              {save.isPending ? "Saving…" : "Save"}
            </Button>
          </span>
        )}
      </form>
    </Section>
  );
}

/** The API accepts any time between its bounds, so the saved one is added to the choices. */
function choices(kind: Time, saved: number | null): number[] {
  return [...new Set([...TIMES[kind], ...(saved === null ? [] : [saved])])].sort((a, b) => a - b);
}

function fieldError(error: Error | null, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.errors.find((each) => each.field.split(".")[0] === field)?.message;
}
