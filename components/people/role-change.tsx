"use client";

import { useState } from "react";
import { RoleSelect } from "@/components/people/role-select.tsx";
import { Button } from "@/components/ui/button.tsx";
import type { Role } from "@/lib/access/roles.ts";

/** Arrow keys walk through a list and choose as they go: what a role allows is given by a press of its own. */
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
  // Somebody else changed it meanwhile, or it was saved.
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
