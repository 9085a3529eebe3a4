"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { changeGroup, createGroup } from "@/lib/api-client/settings/groups.ts";
import { policy } from "@/lib/api-client/settings/policy.ts";
import { createGroupSchema, type Group } from "@/lib/policy/groups/schema.ts";
import { labelOf } from "./group-row.tsx";
import { MemberPicker } from "./member-picker.tsx";

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
  const { form, errors, failure, pending, onSubmit } = useForm({
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
  const membersError = Object.entries(errors).find(([field]) => /^(members|add|remove)/.test(field))?.[1];
  return (
    <form ref={form} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      {failure && <Notice live tone="bad" title={failure} />}
      <TextField
        name="name"
        label="Name"
        description="The policy refers to the group by this name."
        maxLength={100}
        autoComplete="off"
        defaultValue={group?.name}
        error={errors.name}
      />
      <MemberPicker
        members={(group?.members ?? []).map((member) => ({ id: member.id, name: labelOf(member) }))}
        chosen={chosen}
        onChange={setChosen}
        error={membersError}
      />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={pending}>
          {pending ? "Saving…" : isProposed ? "Propose" : "Save"}
        </Button>
      </DialogActions>
    </form>
  );
}
