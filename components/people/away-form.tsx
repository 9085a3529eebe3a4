"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Clock } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Field, Input, Select, Textarea } from "@/components/ui/field.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { type Away, awayInputSchema } from "@/lib/policy/away/away-schema.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { people } from "@/lib/web/client/organization.ts";
import { away, awayPath } from "@/lib/web/client/settings/working-time.ts";

interface Absent {
  /** Null: oneself. */
  memberId: string | null;
  name: string;
  /** Users who can't stand in: who is away, and the admin who says so. */
  not: string[];
}

/** When somebody is away, who stands in for them, and the way back. */
export function AwayForm({ absent, current }: { absent: Absent; current: Away | null }) {
  const { memberId, name, not } = absent;
  const client = useQueryClient();
  const whose = memberId === null ? "You are" : `${name} is`;
  const { form, errors, failure, pending, onSubmit } = useForm({
    schema: awayInputSchema,
    read: readAway,
    send: async (values) => {
      const saved = await api.put<Away>(awayPath(memberId), values);
      client.setQueryData(away(memberId).queryKey, saved);
      toast(
        `Saved. ${saved.delegate.name} stands in while ${memberId === null ? "you are" : `${name} is`} away`,
      );
    },
  });
  const back = useMutation({
    mutationFn: () => api.delete<undefined>(awayPath(memberId)),
    onSuccess: () => {
      client.setQueryData(away(memberId).queryKey, null);
      toast(`${whose} not away any more`);
    },
  });
  const errorAt = (...fields: string[]) =>
    Object.entries(errors).find(([at]) =>
      fields.some((field) => at === field || at.startsWith(`${field}.`)),
    )?.[1];
  const [start] = useState(() => (current ? new Date(current.from) : new Date()));
  return (
    <div className="flex flex-col gap-4">
      {current && <Now absent={absent} current={current} />}
      <form ref={form} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
        {(failure || back.error) && <Notice live tone="bad" title={failure ?? errorSentence(back.error)} />}
        <div className="grid gap-4 md:grid-cols-2">
          <TextField
            name="from"
            label="From"
            type="datetime-local"
            defaultValue={wallTime(start)}
            error={errorAt("from")}
          />
          <TextField
            name="until"
            label="Until"
            type="datetime-local"
            defaultValue={current ? wallTime(new Date(current.until)) : ""}
            error={errorAt("until")}
          />
        </div>
        <StandIn isOwn={memberId === null} current={current} not={not} error={errorAt("delegateUserId")} />
        <details open={current?.scope ? true : undefined}>
          <summary className="cursor-pointer text-[13px] text-muted">Only for some requests</summary>
          <div className="mt-3 flex flex-col gap-4">
            <p className="text-[13px] text-muted">
              Names, separated by commas. A request has to match each line that is filled in.
            </p>
            {SCOPES.map(([kind, label]) => (
              <TextField
                key={kind}
                name={kind}
                label={label}
                required={false}
                autoComplete="off"
                defaultValue={current?.scope?.[kind]?.join(", ") ?? ""}
                error={errorAt(`scope.${kind}`)}
              />
            ))}
          </div>
        </details>
        <Field
          id="reason"
          label="Reason"
          hint="Admins see it, and it is recorded in Activity."
          error={errorAt("reason")}
        >
          {(control) => (
            <Textarea
              {...control}
              name="reason"
              rows={2}
              maxLength={500}
              defaultValue={current?.reason ?? ""}
            />
          )}
        </Field>
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" disabled={pending}>
            {pending ? "Saving…" : "Save"}
          </Button>
          {current && (
            <Button disabled={back.isPending} onClick={() => back.mutate()}>
              {memberId === null ? "I’m back" : "End the absence"}
            </Button>
          )}
        </div>
      </form>
    </div>
  );
}

const SCOPES = [
  ["servers", "Servers"],
  ["tools", "Tools"],
  ["rules", "Rules of the policy"],
] as const;

function Now({ absent: { memberId, name }, current }: { absent: Absent; current: Away }) {
  const isOwn = memberId === null;
  const isToCome = Date.parse(current.from) > Date.now();
  return (
    <Notice tone="wait" title={`${isOwn ? "You" : name} ${isToCome ? "will be" : isOwn ? "are" : "is"} away`}>
      <p>
        {isToCome && (
          <>
            From <Clock at={current.from} />{" "}
          </>
        )}
        {isToCome ? "until" : "Until"} <Clock at={current.until} />.{" "}
        <PlainText text={current.delegate.name} /> stands in.
        {current.setBy.name !== name && (
          <>
            {" "}
            Set by <PlainText text={current.setBy.name} />.
          </>
        )}
      </p>
    </Notice>
  );
}

/** From this number of people on, who is meant has to be looked for: the API lists no more at once. */
const MOST_LISTED = 50;

function StandIn({
  isOwn,
  current,
  not,
  error,
}: {
  isOwn: boolean;
  current: Away | null;
  not: string[];
  error: string | undefined;
}) {
  const [typed, setTyped] = useState("");
  const found = useQuery({
    ...people(useDeferredValue(typed.trim())),
    placeholderData: (before) => before,
  });
  const items = (found.data?.items ?? []).filter(({ userId }) => !not.includes(userId));
  const isLong = typed !== "" || (found.data?.items.length ?? 0) >= MOST_LISTED;
  const [chosen, setChosen] = useState(current?.delegateUserId ?? "");
  const missing =
    current && chosen === current.delegateUserId && !items.some(({ userId }) => userId === chosen)
      ? [{ userId: chosen, name: current.delegate.name, email: undefined }]
      : [];
  return (
    <Field
      id="delegateUserId"
      label="Who stands in"
      description={
        isOwn
          ? "Votes for you, and is notified about requests assigned to you. Not for private tasks."
          : "Votes for them, and is notified about requests assigned to them. Not for private tasks."
      }
      required
      error={error}
    >
      {(control) => (
        <>
          {isLong && (
            <Input
              type="search"
              aria-label="Search people"
              placeholder="Name or e-mail"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
          <Select
            {...control}
            name="delegateUserId"
            value={chosen}
            onChange={({ target }) => setChosen(target.value)}
          >
            <option value="">Choose a person</option>
            {[...missing, ...items].map((person) => (
              <option key={person.userId} value={person.userId}>
                {person.name}
                {person.email && ` · ${person.email}`}
              </option>
            ))}
          </Select>
        </>
      )}
    </Field>
  );
}

/** What the form of an absence means. Pure. */

/** The body of a call, from the form's fields: times are meant where the person is, names stand between commas. */
export function readAway(data: FormData): unknown {
  const scope = {
    servers: names(data.get("servers")),
    tools: names(data.get("tools")),
    rules: names(data.get("rules")),
  };
  return {
    from: moment(data.get("from")),
    until: moment(data.get("until")),
    delegateUserId: data.get("delegateUserId"),
    scope: Object.values(scope).every((each) => each === null) ? null : scope,
    reason: data.get("reason"),
  };
}

function names(typed: FormDataEntryValue | null): string[] | null {
  const given = String(typed ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return given.length === 0 ? null : given;
}

function moment(typed: FormDataEntryValue | null): unknown {
  const at = new Date(String(typed ?? ""));
  return Number.isNaN(at.getTime()) ? typed : at.toISOString();
}

/** A time as a `datetime-local` input shows it where the person is. */
export function wallTime(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
