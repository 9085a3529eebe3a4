import type { ReactNode } from "react";
import { ApiProvider } from "@/components/shell/api-provider.tsx";
import { MeProvider } from "@/components/shell/session/me.tsx";
import { Shell } from "@/components/shell/shell.tsx";
import { permissionsOf } from "@/lib/access/permissions.ts";
import { currentOrganizations, currentPreferences, requireSession } from "@/lib/web/auth/session.ts";
import { readCounts } from "./counts.ts";
import { readFirstSteps } from "./first-steps.ts";

export default async function AppLayout({ children }: { children: ReactNode }) {
  const { user, organization, role } = await requireSession();
  return (
    <MeProvider
      me={{
        user: { id: user.id, name: user.name, email: user.email },
        organization: { id: organization.id, slug: organization.slug, name: organization.name },
        role,
        permissions: permissionsOf(role),
        organizations: await currentOrganizations(),
        preferences: await currentPreferences(),
      }}
    >
      <ApiProvider read={[...(await readCounts()), ...(await readFirstSteps(role))]} drawnAt={Date.now()}>
        <Shell>{children}</Shell>
      </ApiProvider>
    </MeProvider>
  );
}
