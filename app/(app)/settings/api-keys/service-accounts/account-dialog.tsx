"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmChange } from "@/components/form/confirm-change.tsx";
import { DialogForm } from "@/components/form/dialog-form.tsx";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { RoleSelect } from "@/components/people/role-select.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { Field, Select } from "@/components/ui/field.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { type Role, roleAllows } from "@/lib/access/roles.ts";
import {
  createServiceAccountSchema,
  type ServiceAccount,
} from "@/lib/people/service-accounts/service-account-schema.ts";
import { memberList, serviceAccountApi, serviceAccountKeys } from "@/lib/web/client/organization.ts";

/** Makes an account, or changes one: its name, description, role, and the member who answers for it. */
export function AccountDialog({ account, onClose }: { account: ServiceAccount | null; onClose: () => void }) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={account ? `Change ${account.name}` : "Make a service account"}
      description="It never has more rights than its owner. Where a second person is required, it counts as one person with its owners and the makers of its keys."
    >
      <AccountForm account={account} onClose={onClose} />
    </Dialog>
  );
}

function AccountForm({ account, onClose }: { account: ServiceAccount | null; onClose: () => void }) {
  const client = useQueryClient();
  const [role, setRole] = useState<Role>(account?.role ?? "viewer");
  const form = useForm({
    schema: createServiceAccountSchema,
    sentences: { name_taken: "Another service account has this name." },
    read: (data) => Object.fromEntries(data),
    send: async (values) => {
      await (account ? serviceAccountApi.update(account.id, values) : serviceAccountApi.create(values));
      for (const queryKey of serviceAccountKeys) await client.invalidateQueries({ queryKey });
      toast(account ? `Saved ${values.name}` : `${values.name} is ready: make a key for it`);
      onClose();
    },
  });
  return (
    <DialogForm form={form} onClose={onClose} send={account ? "Save" : "Make the account"} sending="Saving…">
      <TextField
        name="name"
        label="Name"
        autoComplete="off"
        maxLength={80}
        defaultValue={account?.name ?? ""}
        error={form.errors.name}
      />
      <TextField
        name="description"
        label="What it is for"
        autoComplete="off"
        maxLength={500}
        defaultValue={account?.description ?? ""}
        error={form.errors.description}
        required={false}
      />
      <Field id="account-role" label="Role" required error={form.errors.role}>
        {(control) => (
          <RoleSelect
            {...control}
            long
            name="role"
            value={role}
            onChange={(event) => setRole(event.target.value as Role)}
          />
        )}
      </Field>
      <OwnerField role={role} owner={account?.owner?.id ?? null} error={form.errors.ownerId} />
    </DialogForm>
  );
}

/** The members who may answer for an account of this role. */
function OwnerField({ role, owner, error }: { role: Role; owner: string | null; error: string | undefined }) {
  const me = useMe();
  const { data, isError } = useQuery(memberList(""));
  const fit = data?.items.filter((member) => roleAllows(member.role, role)) ?? [];
  const own = fit.find(({ userId }) => userId === me.user.id)?.id;
  const chosen = fit.some(({ id }) => id === owner) ? owner : owner === null ? own : undefined;
  return (
    <Field
      id="account-owner"
      label="Owner"
      required
      hint="The person responsible for it. If they leave, are suspended or get a weaker role, the account is suspended and admins are notified."
      error={isError ? "The members could not be read. Close this and try again." : error}
    >
      {(control) => (
        <Select
          {...control}
          key={`${role} ${chosen}`}
          name="ownerId"
          defaultValue={chosen ?? ""}
          disabled={!data}
        >
          {!chosen && <option value="">{data ? "Choose a member" : "Reading the members…"}</option>}
          {fit.map(({ id, name, email }) => (
            <option key={id} value={id}>
              {name} · {email}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

/** Says what ends with the account before it is deleted. */
export function RemoveDialog({ account, onClose }: { account: ServiceAccount; onClose: () => void }) {
  const { id, name, keys } = account;
  return (
    <ConfirmChange
      keys={serviceAccountKeys}
      call={() => serviceAccountApi.remove(id)}
      done={`${name} was deleted`}
      onClose={onClose}
      title={`Delete ${name}?`}
      description={`${whatEnds(keys)} It can’t be restored. Its tasks continue.`}
      confirm="Delete"
      destructive
    />
  );
}

function whatEnds(keys: number): string {
  if (keys === 0) return "It has no keys.";
  const which = keys === 1 ? "Its key ends" : `Its ${keys} keys end`;
  return `${which} with it. Programs that use ${keys === 1 ? "it" : "them"} are refused at once.`;
}
