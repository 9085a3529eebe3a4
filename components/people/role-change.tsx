"use client";

import { useState } from "react";
import { RoleSelect } from "@/components/people/role-select.tsx";
import { Button } from "@/components/ui/button.tsx";
import type { Role } from "@/lib/access/roles.ts";

/**
 * A select with a save button: arrow keys change a select at once, and a role must not change by accident.
 */
export function RoleChange({
  label,
  role,
  pending,
  onSave,
}: {
  label: string;
  role: Role;
  pending: boolean;
  onSave: (role: Role) => void;
}) {
  const [chosen, setChosen] = useState<Role | null>(null);
  // Drops the choice when the role was saved or changed by somebody else.
  const [known, setKnown] = useState(role);
  if (known !== role) {
    setKnown(role);
    setChosen(null);
  }
  const isNew = chosen !== null && chosen !== role;
  return (
    <>
      <RoleSelect
        aria-label={label}
        className="w-32 max-md:min-w-32 max-md:flex-1"
        value={chosen ?? role}
        disabled={pending}
        onChange={(event) => setChosen(event.target.value as Role)}
      />
      {isNew && (
        <Button variant="primary" disabled={pending} onClick={() => onSave(chosen)}>
          {pending ? "Saving…" : "Save role"}
        </Button>
      )}
    </>
  );
}
