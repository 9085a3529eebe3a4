import { TimeAgo } from "@/components/time/time.tsx";
import type { Security } from "@/lib/accounts/schema.ts";
import { Section } from "../section.tsx";

/** The linked accounts of identity providers. */
export function IdentitiesSection({ identities }: { identities: Security["identities"] }) {
  return (
    <Section title="Single sign-on" description="Accounts elsewhere that sign you in here.">
      <ul aria-label="Single sign-on" className="flex flex-col divide-y divide-line">
        {identities.map(({ provider, createdAt, lastUsedAt }) => (
          <li key={`${provider} ${createdAt}`} className="flex flex-col py-2 first:pt-0 last:pb-0">
            <span className="truncate font-medium">{provider}</span>
            <span className="text-muted text-xs">
              Since <TimeAgo at={createdAt} /> · last used <TimeAgo at={lastUsedAt} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
