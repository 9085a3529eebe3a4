"use client";

import { useMe } from "@/components/shell/session/me.tsx";
import { switchOrganization } from "@/components/shell/session/switch-organization.ts";
import { MenuChoices, MenuLabel } from "@/components/ui/overlay/menu.tsx";

/** The person's organizations, as a part of a menu. */
export function OrganizationItems() {
  const me = useMe();
  return (
    <>
      <MenuLabel>Organization</MenuLabel>
      <MenuChoices
        name="Organization"
        value={me.organization.id}
        onChange={(id) => void switchOrganization(id)}
        choices={me.organizations.map(({ id, name }) => ({ value: id, label: name }))}
      />
    </>
  );
}
