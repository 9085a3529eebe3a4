"use client";

import { useQuery } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Input } from "@/components/ui/field.tsx";
import { memberList } from "@/lib/web/client/organization.ts";
import { changed, type DraftApprovers, some } from "./draft.ts";
import { Checks, ProblemLine } from "./fields.tsx";
import { useProblemWithin } from "./problems.tsx";

const ROLES = [
  { value: "approver", label: "Approvers" },
  { value: "operator", label: "Operators" },
  { value: "admin", label: "Admins" },
  { value: "owner", label: "Owners" },
];

/** Who may vote: the union of roles, groups and people. */
export function ApproversField({
  legend,
  place,
  value = {},
  groups,
  onChange,
}: {
  legend: string;
  place: string;
  value: DraftApprovers | undefined;
  /** Names of groups that there are. */
  groups: string[];
  onChange: (value: DraftApprovers) => void;
}) {
  const named = [...new Set([...groups, ...(value.groups ?? [])])];
  return (
    <fieldset id={place} tabIndex={-1} className="flex min-w-0 flex-col gap-3 rounded-lg bg-sunken p-3">
      <legend className="float-left mb-2 w-full font-medium text-[13px]">{legend}</legend>
      <Checks
        legend="Only ticked roles. Admins don’t count as approvers."
        values={value.roles}
        options={ROLES}
        onChange={(roles) => onChange(changed(value, { roles }))}
      />
      {named.length > 0 && (
        <Checks
          legend="Groups"
          values={value.groups}
          options={named.map((name) => ({ value: name, label: name }))}
          onChange={(names) => onChange(changed(value, { groups: names }))}
        />
      )}
      <PeopleField
        label="People"
        place={`${place}.people`}
        value={value.people ?? []}
        onChange={(people) => onChange(changed(value, { people: some(people) }))}
      />
      <ProblemLine place={place} besides={[`${place}.people`]} />
    </fieldset>
  );
}

/** Members, by the addresses of their accounts. */
export function PeopleField({
  label,
  place,
  value,
  onChange,
}: {
  label: string;
  place: string;
  value: string[];
  onChange: (value: string[]) => void;
}) {
  const [typed, setTyped] = useState("");
  const found = useQuery(memberList(useDeferredValue(typed.trim())));
  const everybody = useQuery(memberList(""));
  const nameOf = (address: string) =>
    everybody.data?.items.find(({ email }) => email.toLowerCase() === address)?.name;
  const offered = (found.data?.items ?? []).filter(
    ({ email, role }) => role !== "viewer" && !value.includes(email.toLowerCase()),
  );
  const problem = useProblemWithin(place);
  const add = () => {
    const text = typed.trim().toLowerCase();
    const [only, ...others] = offered.filter(({ name, email }) =>
      [name.toLowerCase(), email.toLowerCase()].includes(text),
    );
    const address = only && others.length === 0 ? only.email.toLowerCase() : text;
    if (address === "") return;
    if (!value.includes(address)) onChange([...value, address]);
    setTyped("");
  };
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <label htmlFor={place} className="text-[13px] text-muted">
        {label}
      </label>
      {value.length > 0 && (
        <ul aria-label={label} className="flex flex-wrap gap-1.5">
          {value.map((address) => (
            <li
              key={address}
              className="flex min-w-0 items-center gap-1 rounded-md border border-line bg-panel pl-2 text-[13px]"
            >
              <span className="min-w-0 break-all">
                {nameOf(address) ? `${nameOf(address)} · ${address}` : address}
              </span>
              <Button
                variant="ghost"
                size="icon"
                aria-label={`Remove ${address}`}
                onClick={() => {
                  onChange(value.filter((each) => each !== address));
                  document.getElementById(place)?.focus();
                }}
              >
                <X aria-hidden strokeWidth={1.75} />
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div className="flex gap-2 max-md:flex-wrap">
        <Input
          id={place}
          list={`${place}-members`}
          aria-invalid={problem ? true : undefined}
          aria-describedby={problem ? `${place}-error` : undefined}
          placeholder="Name or e-mail"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          // What stands in the field is meant to be in the policy.
          onBlur={add}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            add();
          }}
        />
        <datalist id={`${place}-members`}>
          {offered.map(({ id, name, email }) => (
            <option key={id} value={email.toLowerCase()}>
              {name}
            </option>
          ))}
        </datalist>
        <Button disabled={typed.trim() === ""} onClick={add}>
          <Plus aria-hidden strokeWidth={1.75} />
          Add
        </Button>
      </div>
      <ProblemLine place={place} />
    </div>
  );
}
