"use client";

import { Field } from "@/components/ui/field.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Select } from "@/components/ui/select.tsx";
import { Switch } from "@/components/ui/switch.tsx";
import { errorSentence } from "@/lib/api-client/base/client.ts";
import { directoryApi } from "@/lib/api-client/identity/directory.ts";
import { DEFAULT_ROLES, type Directory } from "@/lib/directory/schema.ts";
import { Section } from "../section.tsx";
import { useDirectoryAction } from "./use-directory-action.ts";

/** Whom the directory manages, and with which role people begin. */
export function PeopleSection({ directory }: { directory: Directory }) {
  const update = useDirectoryAction(directoryApi.update, "Saved");
  const { defaultRole, managesOwners } = { ...directory, ...(update.isPending ? update.variables : {}) };
  return (
    <Section
      title="People"
      description="The directory sees all members with their addresses, so that it can match them, and manages them, also those whom people invited. Somebody new gets an invitation and joins by accepting it."
    >
      <Field
        id="default-role"
        label="Role of new people"
        description="Unless one of their groups gives another."
        required
      >
        {(control) => (
          <Select
            {...control}
            value={defaultRole}
            disabled={update.isPending}
            onChange={(event) => {
              const role = DEFAULT_ROLES.find((each) => each === event.target.value);
              if (role) update.mutate({ defaultRole: role });
            }}
          >
            {DEFAULT_ROLES.map((role) => (
              <option key={role} value={role}>
                {role}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Switch
        checked={managesOwners}
        disabled={update.isPending}
        onChange={(next) => update.mutate({ managesOwners: next })}
        label="Let the directory deactivate owners"
        description="Off, owners are managed in Intray alone. The last owner always stays, and no directory makes somebody an owner."
      />
      {update.error && <Notice live tone="bad" title={errorSentence(update.error)} />}
    </Section>
  );
}
