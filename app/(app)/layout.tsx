import { headers } from "next/headers";
import type { ReactNode } from "react";
import { ApiProvider, type ReadAlready } from "@/components/shell/api-provider.tsx";
import { type DrawnMe, MeProvider } from "@/components/shell/session/me.tsx";
import { Shell } from "@/components/shell/shell.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import { may, permissionsOf, VIEW_PERMISSIONS } from "@/lib/access/permissions.ts";
import type { Role } from "@/lib/access/roles.ts";
import { readOnboarding } from "@/lib/people/onboarding/onboarding.ts";
import { readDeletion } from "@/lib/people/organizations/delete.ts";
import { localeOf } from "@/lib/text/formats/locales.ts";
import {
  currentOrganizations,
  currentPreferences,
  requireSession,
  type WebSession,
} from "@/lib/web/auth/session.ts";
import { principalOf } from "@/lib/web/auth/session-cookie.ts";
import { onboardingKey } from "@/lib/web/client/onboarding.ts";
import { drawnFor } from "@/lib/web/http/session-refusals.ts";
import { readForPage } from "@/lib/web/pages/read-for-page.ts";
import { readCounts, readUnread } from "./prefetch.ts";

export default async function AppLayout({ children }: { children: ReactNode }) {
  const session = await requireSession({ inView: true });
  const own = session.view ? [] : [...(await readFirstSteps(session.role)), ...(await readUnread())];
  return (
    <MeProvider me={await (session.view ? viewedMe(session, session.view) : ownMe(session))}>
      <ApiProvider read={[...(await readCounts()), ...own]} drawnAt={Date.now()}>
        <Shell>{children}</Shell>
      </ApiProvider>
    </MeProvider>
  );
}

async function ownMe(session: WebSession): Promise<DrawnMe> {
  const { user, organization, role } = session;
  return {
    user: { id: user.id, name: user.name, email: user.email },
    organization: { id: organization.id, slug: organization.slug, name: organization.name },
    drawnFor: drawnFor(principalOf(session)),
    role,
    permissions: permissionsOf(role),
    organizations: await currentOrganizations(),
    preferences: await currentPreferences(),
    browserLocale: await browserLocale(),
    view: null,
    deletion: await currentDeletion(role),
  };
}

/** The screens of a member as whom an admin looks: the member's name and role, and nothing private of theirs. */
async function viewedMe(session: WebSession, view: NonNullable<WebSession["view"]>): Promise<DrawnMe> {
  const { organization } = session;
  return {
    user: { id: view.userId, name: view.name, email: "" },
    organization: { id: organization.id, slug: organization.slug, name: organization.name },
    drawnFor: drawnFor(principalOf(session)),
    role: view.role,
    permissions: VIEW_PERMISSIONS,
    organizations: [],
    preferences: { singleKeys: true, tourSeen: true, density: "comfortable", locale: null },
    browserLocale: await browserLocale(),
    view: { until: view.until, leftMs: view.leftMs },
    deletion: null,
  };
}

async function currentDeletion(role: Role): Promise<DrawnMe["deletion"]> {
  if (!may(role, "settings:manage")) return null;
  const deletion = await readForPage(readDeletion);
  return deletion && { by: actorWords(deletion.by, { begins: true }), at: deletion.takesEffectAt };
}

async function browserLocale(): Promise<string> {
  return localeOf((await headers()).get("accept-language"));
}

/** Reads the organization's onboarding state once per page, for members who can complete the steps. */
async function readFirstSteps(role: Role): Promise<ReadAlready> {
  if (!may(role, "members:manage")) return [];
  return [[onboardingKey, await readForPage(readOnboarding)]];
}
