"use client";

import { useState } from "react";
import { Field } from "@/components/ui/field.tsx";
import { Input } from "@/components/ui/input.tsx";
import { useNoteUnreadable, useProblem } from "./problems.tsx";

/** Such names come first among the keys of an object, whenever they were made. */
const IS_INDEX = /^\d+$/;

/**
 * The name of a group of the policy, by which the draft knows it. What is typed is the name as soon as it can be: the name of another
 * group never is, since the two would be one, and one that would move the group to another place only once the field is left.
 */
export function GroupName({
  place,
  name,
  others,
  onRename,
}: {
  place: string;
  name: string;
  /** The other names that stand for a group, also for one of the organization's that a stage names. */
  others: string[];
  onRename: (name: string) => void;
}) {
  /** Null: the name is as typed. */
  const [typed, setTyped] = useState<string | null>(null);
  const isTaken = typed !== null && others.includes(typed);
  const problem = useProblem(place);
  useNoteUnreadable(place, isTaken);
  const settle = (now: string) => {
    setTyped(null);
    if (now !== name) onRename(now);
  };
  return (
    <Field
      id={place}
      label="Name"
      description="Stages and tests follow a new name; conditions keep the old one."
      required
      error={isTaken ? "Another group has this name" : problem}
    >
      {(control) => (
        <Input
          {...control}
          value={typed ?? name}
          spellCheck={false}
          autoComplete="off"
          onChange={({ target }) =>
            others.includes(target.value) || IS_INDEX.test(target.value)
              ? setTyped(target.value)
              : settle(target.value)
          }
          onBlur={() => typed !== null && !isTaken && settle(typed)}
        />
      )}
    </Field>
  );
}
