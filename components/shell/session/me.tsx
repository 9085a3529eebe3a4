"use client";

import { createContext, type ReactNode, useContext, useState } from "react";
import { createPrefer, type Prefer } from "@/components/shell/session/preferences.ts";
import type { Permission } from "@/lib/access/permissions.ts";
import type { Role } from "@/lib/access/roles.ts";
import { api, speakFor } from "@/lib/api-client/base/client.ts";
import type { Preferences } from "@/lib/members/schema.ts";
import type { OwnOrganization } from "@/lib/organizations/schema.ts";

export interface Me {
  user: { id: string; name: string; email: string };
  organization: { id: string; slug: string; name: string };
  role: Role;
  /** All that they are a member of, this one too. */
  organizations: OwnOrganization[];
  preferences: Preferences;
  may: (permission: Permission) => boolean;
}

/** As the server draws it into the page: the permissions are said, so that their table stays there. */
interface DrawnMe extends Omit<Me, "may"> {
  permissions: Permission[];
}

interface MeValue extends Me {
  prefer: Prefer;
}

const MeContext = createContext<MeValue | null>(null);

export function MeProvider({ me, children }: { me: DrawnMe; children: ReactNode }) {
  // Before anything below asks for anything.
  useState(() => speakFor(me.organization.id));
  const [preferences, setPreferences] = useState(me.preferences);
  const [prefer] = useState(() =>
    createPrefer(
      me.preferences,
      (change) => api.patch<Preferences>("/api/v1/me/preferences", change),
      setPreferences,
    ),
  );
  return (
    <MeContext
      value={{ ...me, preferences, may: (permission) => me.permissions.includes(permission), prefer }}
    >
      {children}
    </MeContext>
  );
}

/** Who looks at the screen. It decides what is offered; the API decides what is allowed. */
export function useMe(): MeValue {
  const me = useContext(MeContext);
  if (!me) throw new Error("useMe outside the signed-in part");
  return me;
}
