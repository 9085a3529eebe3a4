"use client";

import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useId, useState } from "react";
import { PersonInList } from "@/components/people/person-in-list.tsx";
import { FieldErrorLine } from "@/components/ui/field.tsx";
import { Input } from "@/components/ui/input.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { people } from "@/lib/api-client/answers.ts";
import { errorSentence } from "@/lib/api-client/base/client.ts";
import type { Named } from "@/lib/policy/groups/schema.ts";

/** From this number of people on, who is meant has to be looked for: the API lists no more at once. */
const MOST_LISTED = 50;

type PersonListed = Named & { email?: string | undefined };

/** Who is in the group: those who are, and those who may answer. */
export function MemberPicker({
  members,
  chosen,
  onChange,
  error,
}: {
  members: Named[];
  chosen: string[];
  onChange: (ids: string[]) => void;
  error: string | undefined;
}) {
  const errorId = useId();
  const [typed, setTyped] = useState("");
  /** Who was ticked here, whom another search does not find. */
  const [ticked, setTicked] = useState<PersonListed[]>([]);
  const found = useQuery({
    ...people(useDeferredValue(typed.trim())),
    placeholderData: (before) => before,
  });
  const items = found.data?.items ?? [];
  const isLong = typed !== "" || items.length >= MOST_LISTED;
  const known = new Map<string, PersonListed>(
    [...members, ...ticked, ...items].map((person) => [person.id, person]),
  );
  const toggle = (person: PersonListed, isIn: boolean) => {
    if (isIn) setTicked([...ticked, person]);
    onChange(isIn ? [...chosen, person.id] : chosen.filter((id) => id !== person.id));
  };
  return (
    <fieldset className="flex flex-col gap-2" aria-describedby={error ? errorId : undefined}>
      <legend className="mb-1 font-medium text-[13px]">
        Members<span className="font-normal text-muted"> · {chosen.length} chosen</span>
      </legend>
      {isLong && (
        <Input
          type="search"
          aria-label="Search people"
          placeholder="Name or e-mail"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      {/* As high while people are loaded as with them: what is below must not move away from a press. */}
      <div className="flex h-60 flex-col overflow-y-auto rounded-md border border-line px-3 py-2">
        {found.isPending && <p className="text-[13px] text-muted">Loading people…</p>}
        {found.error && <Notice tone="bad" title={errorSentence(found.error)} />}
        {[...known.values()].map((person) => (
          <label key={person.id} className="flex items-center gap-2 py-1 text-[13px] max-md:min-h-11">
            <input
              type="checkbox"
              checked={chosen.includes(person.id)}
              onChange={({ target }) => toggle(person, target.checked)}
              className="size-4 accent-accent"
            />
            <PersonInList person={person} />
          </label>
        ))}
      </div>
      {error && <FieldErrorLine id={errorId} message={error} />}
    </fieldset>
  );
}
