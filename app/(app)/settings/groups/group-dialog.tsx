"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useDeferredValue, useId, useState } from "react";
import { ConfirmChange } from "@/components/form/confirm-change.tsx";
import { DialogForm } from "@/components/form/dialog-form.tsx";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { PersonInList } from "@/components/people/person-in-list.tsx";
import { FieldErrorLine, Input } from "@/components/ui/field.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { createGroupSchema, type Group, type Named } from "@/lib/policy/groups/group-schema.ts";
import { errorSentence } from "@/lib/web/client/base/client.ts";
import { people } from "@/lib/web/client/organization.ts";
import { changeGroup, createGroup, deleteGroup, policy } from "@/lib/web/client/settings/policy.ts";
import { labelOf } from "./group-row.tsx";

/** From this number of people on, who is meant has to be looked for: the API lists no more at once. */
const MOST_LISTED = 50;

type PersonListed = Named & { email?: string | undefined };

/** Who is in the group: those who are, and those who may answer. */
function MemberPicker({
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

interface Props {
  /** Null: a new one. */
  group: Group | null;
  /** Another admin has to approve it. */
  isProposed: boolean;
  onClose: () => void;
}

export function GroupDialog(props: Props) {
  const { group, isProposed, onClose } = props;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={group ? `Edit ${group.name}` : "Add a group"}
      description={
        isProposed
          ? "It takes effect once another admin approves it."
          : "It takes effect at once, also for open requests. Votes that were cast stay."
      }
    >
      <GroupForm {...props} />
    </Dialog>
  );
}

function GroupForm({ group, isProposed, onClose }: Props) {
  const client = useQueryClient();
  const [chosen, setChosen] = useState((group?.members ?? []).map(({ id }) => id));
  const form = useForm({
    schema: createGroupSchema,
    read: (data) => ({ name: data.get("name"), members: chosen }),
    send: async ({ name, members }) => {
      // What changes, so that nobody undoes what another admin has done meanwhile.
      const before = (group?.members ?? []).map(({ id }) => id);
      const change = {
        ...(name !== group?.name && { name }),
        add: members.filter((id) => !before.includes(id)),
        remove: before.filter((id) => !members.includes(id)),
      };
      if (group && change.name === undefined && change.add.length + change.remove.length === 0)
        return onClose();
      const made = group ? await changeGroup(group.id, change) : await createGroup({ name, members });
      await client.invalidateQueries({ queryKey: policy().queryKey });
      toast(
        "proposalId" in made ? "Proposed. It takes effect once another admin approves it" : "Group saved",
      );
      onClose();
    },
  });
  const membersError = Object.entries(form.errors).find(([field]) =>
    /^(members|add|remove)/.test(field),
  )?.[1];
  return (
    <DialogForm form={form} onClose={onClose} send={isProposed ? "Propose" : "Save"} sending="Saving…">
      <TextField
        name="name"
        label="Name"
        description="The policy refers to the group by this name."
        maxLength={100}
        autoComplete="off"
        defaultValue={group?.name}
        error={form.errors.name}
      />
      <MemberPicker
        members={(group?.members ?? []).map((member) => ({ id: member.id, name: labelOf(member) }))}
        chosen={chosen}
        onChange={setChosen}
        error={membersError}
      />
    </DialogForm>
  );
}

/** Confirms that a group is deleted, or proposes it (`isProposed`). */
export function DeleteDialog({
  group,
  isProposed,
  onClose,
}: {
  group: Group;
  isProposed: boolean;
  onClose: () => void;
}) {
  return (
    <ConfirmChange
      keys={[policy().queryKey]}
      call={() => deleteGroup(group.id)}
      done={({ proposalId }) =>
        proposalId === null
          ? `${group.name} was deleted`
          : "Proposed. It takes effect once another admin approves it"
      }
      onClose={onClose}
      title={`Delete ${group.name}?`}
      description={`You can’t delete a group while the policy or an unfinished request uses it. Its people stay members of the organization.${
        isProposed ? " It is deleted once another admin approves it." : ""
      }`}
      confirm={isProposed ? "Propose" : "Delete"}
      destructive
    />
  );
}
