"use client";

import { createContext, type ReactNode, useContext, useState } from "react";
import type { Permission } from "@/lib/access/permissions.ts";
import type { Role } from "@/lib/access/roles.ts";
import type { Preferences, UpdatePreferences } from "@/lib/people/members/member-schema.ts";
import type { OwnOrganization } from "@/lib/people/organizations/organization-schema.ts";
import { type Formats, formatsOf } from "@/lib/text/formats/formats.ts";
import { api, speakFor } from "@/lib/web/client/base/client.ts";

export interface Me {
  user: { id: string; name: string; email: string };
  organization: { id: string; slug: string; name: string };
  role: Role;
  /** All organizations of the user, including the current one. */
  organizations: OwnOrganization[];
  preferences: Preferences;
  /** How this person reads dates and numbers. */
  formats: Formats;
  /**
   * Set while an admin views Intray as this member. The view is read only, and ends at `until`. `leftMs`: the time
   * left when the page was rendered, by the database's clock.
   */
  view: { until: string; leftMs: number } | null;
  /** For admins: who asked to delete the organization, and when it goes. */
  deletion: { by: string; at: string } | null;
  may: (permission: Permission) => boolean;
}

/**
 * The user as the server renders them into the page. Lists the permissions, so that the permission table
 * stays on the server.
 */
export interface DrawnMe extends Omit<Me, "may" | "formats"> {
  permissions: Permission[];
  /**
   * The locale that the browser asked the server for. It is not read in the browser, because the browser's first
   * render has to equal the server's.
   */
  browserLocale: string;
  /** For whom the page is rendered; its calls carry this. */
  drawnFor: string;
}

interface MeValue extends Me {
  browserLocale: string;
  prefer: Prefer;
}

const MeContext = createContext<MeValue | null>(null);

export function MeProvider({ me, children }: { me: DrawnMe; children: ReactNode }) {
  // Must run before any child calls the API.
  useState(() => speakFor(me.drawnFor));
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
      value={{
        ...me,
        preferences,
        formats: formatsOf(preferences.locale ?? me.browserLocale),
        may: (permission) => me.permissions.includes(permission),
        prefer,
      }}
    >
      {children}
    </MeContext>
  );
}

/** Returns the signed-in user. The permissions decide what the UI offers; the API decides what is allowed. */
export function useMe(): MeValue {
  const me = useContext(MeContext);
  if (!me) throw new Error("useMe outside the signed-in part");
  return me;
}

/** Returns the formats of dates and numbers for the signed-in user. */
export function useFormats(): Formats {
  return useMe().formats;
}

/** Shows a change at once and reverts the change if the server refuses. Throws the server's error. */
export type Prefer = (change: UpdatePreferences) => Promise<void>;

/**
 * Changes a user's preferences. `show` receives the saved preferences with the pending changes applied.
 * Changes are sent one after the other, so that the server and the page end with the same preferences.
 */
export function createPrefer(
  saved: Preferences,
  send: (change: UpdatePreferences) => Promise<Preferences>,
  show: (preferences: Preferences) => void,
): Prefer {
  let pending: UpdatePreferences[] = [];
  let last: Promise<unknown> = Promise.resolve();
  let now = saved;
  const showAll = () => show(Object.assign({}, now, ...pending));
  return (change) => {
    pending.push(change);
    showAll();
    const sent = last
      .then(() => send(change))
      .then((answer) => {
        now = answer;
      })
      .finally(() => {
        pending = pending.filter((each) => each !== change);
        showAll();
      });
    last = sent.catch(() => undefined);
    return sent;
  };
}
