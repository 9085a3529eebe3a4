"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { FieldErrors } from "@/components/form/use-form.ts";
import { useFormats } from "@/components/shell/session/me.tsx";
import { chosenDate } from "@/components/time/time.tsx";
import { Field, Input, Select, Textarea } from "@/components/ui/field.tsx";
import { DEFAULT_LIFETIME, LIFETIMES } from "@/lib/people/api-keys/api-key-schema.ts";
import { isDateText } from "@/lib/text/time.ts";
import { organization, serviceAccountList } from "@/lib/web/client/organization.ts";

/** When a key ends: in days, on a day, or never where the organization allows it. Read by `readEnd`. */
export function EndField({ errors }: { errors: FieldErrors }) {
  const { data } = useQuery(organization());
  const formats = useFormats();
  const [choice, setChoice] = useState(String(DEFAULT_LIFETIME));
  const [day, setDay] = useState("");
  const onDay = choice === "date";
  return (
    <>
      <Field id="expires" label="Ends" required error={onDay ? undefined : errors.expires}>
        {(control) => (
          <Select
            {...control}
            name="expires"
            value={choice}
            onChange={(event) => setChoice(event.target.value)}
          >
            {LIFETIMES.map((days) => (
              <option key={days} value={days}>
                In {days === 365 ? "a year" : `${days} days`}
              </option>
            ))}
            <option value="date">On a day…</option>
            {data?.keysWithoutEnd && <option value="never">Never</option>}
          </Select>
        )}
      </Field>
      {onDay && (
        <Field id="last-day" label="Last day" required error={errors.expires} hint={chosenDate(day, formats)}>
          {(control) => (
            <Input
              {...control}
              type="date"
              name="lastDay"
              value={day}
              onChange={(event) => setDay(event.target.value)}
            />
          )}
        </Field>
      )}
    </>
  );
}

/** The end that `EndField` says: a chosen day counts to its last second here. */
export function readEnd(data: FormData): unknown {
  const choice = data.get("expires");
  if (choice === "never") return choice;
  if (choice !== "date") return Number(choice);
  const day = String(data.get("lastDay"));
  return isDateText(day) ? new Date(`${day}T23:59:59`).toISOString() : day;
}

/** Whose key it is: the maker's own, or a service account's. Nothing to choose where there is no account. */
export function HolderField({ errors }: { errors: FieldErrors }) {
  const { data } = useQuery(serviceAccountList());
  if (!data || data.items.length === 0) return null;
  return (
    <Field
      id="holder"
      label="Belongs to"
      required
      hint="Your own keys end with your membership. Keys of a service account keep working."
      error={errors.serviceAccountId}
    >
      {(control) => (
        <Select {...control} name="serviceAccountId" defaultValue="">
          <option value="">Me</option>
          {data.items.map(({ id, name, role }) => (
            <option key={id} value={id}>
              {name} · {role}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

/** The networks that a key may come from, one a line. Read by `readNetworks`. */
export function NetworksField({ networks = [], errors }: { networks?: string[]; errors: FieldErrors }) {
  const error = Object.entries(errors).find(([field]) => field.startsWith("networks"))?.[1];
  return (
    <Field
      id="networks"
      label="Allowed networks"
      hint="Networks or addresses, one a line, such as 203.0.113.0/24. Empty: from anywhere."
      error={error}
    >
      {(control) => (
        <Textarea
          {...control}
          name="networks"
          rows={2}
          autoComplete="off"
          spellCheck={false}
          className="font-mono text-[13px]"
          defaultValue={networks.join("\n")}
        />
      )}
    </Field>
  );
}

export function readNetworks(data: FormData): string[] {
  return String(data.get("networks") ?? "")
    .split(/[\s,]+/)
    .filter(Boolean);
}
