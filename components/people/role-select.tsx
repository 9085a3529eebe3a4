"use client";

import type { ComponentProps } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { Select } from "@/components/ui/field.tsx";
import { ROLE_WORDS, ROLES, type Role } from "@/lib/access/roles.ts";
import { capitalise } from "@/lib/text/labels.ts";

/** The roles that the current user may assign. `long`: each with its description. */
export function RoleSelect({ long = false, ...props }: { long?: boolean } & ComponentProps<"select">) {
  const me = useMe();
  const roles = ROLES.filter((role) => role !== "owner" || me.may("owners:manage"));
  return (
    <Select {...props}>
      {roles.map((role: Role) => (
        <option key={role} value={role}>
          {capitalise(role)}
          {long && ` · ${ROLE_WORDS[role]}`}
        </option>
      ))}
    </Select>
  );
}
