"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Bot, Monitor, Smartphone } from "lucide-react";
import { TimeAgo } from "@/components/time/time.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { AccountSession } from "@/lib/people/accounts/account-schema.ts";
import { browserWords, isPhone } from "@/lib/text/browser.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { sessions as sessionsQuery } from "@/lib/web/client/identity.ts";
import { Section } from "../section.tsx";

const METHODS: Record<AccountSession["method"], string> = {
  password: "With a password",
  passkey: "With a passkey",
  oidc: "By single sign-on",
  saml: "By single sign-on",
  demo: "In the demo",
};

/** The user's sessions; one press ends a session. */
export function SessionsSection({ sessions }: { sessions: AccountSession[] }) {
  const client = useQueryClient();
  const end = useMutation({
    mutationFn: (id: string | null) => api.delete(`/api/v1/me/sessions${id ? `/${id}` : ""}`),
    onSuccess: (_, id) => toast(id ? "Session ended" : "All other sessions ended"),
    onError: (error) => toast.error(errorSentence(error)),
    onSettled: () => client.invalidateQueries({ queryKey: sessionsQuery().queryKey }),
  });
  return (
    <Section
      title="Sessions"
      description="Where you are signed in. Sessions end after two hours without use, and after eight hours in any case. Agents that you allowed end after 30 days without use, and after 90 days in any case."
    >
      <ul aria-label="Sessions" className="flex flex-col divide-y divide-line">
        {sessions.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            disabled={end.isPending}
            onEnd={() => end.mutate(session.id)}
          />
        ))}
      </ul>
      {sessions.length > 1 && (
        <div>
          <Button variant="danger" disabled={end.isPending} onClick={() => end.mutate(null)}>
            End all others
          </Button>
        </div>
      )}
    </Section>
  );
}

function SessionRow({
  session: { current, userAgent, agent, method, address, createdAt, lastSeenAt },
  disabled,
  onEnd,
}: {
  session: AccountSession;
  disabled: boolean;
  onEnd: () => void;
}) {
  const Icon = agent !== null ? Bot : isPhone(userAgent) ? Smartphone : Monitor;
  const name = agent ?? browserWords(userAgent);
  return (
    <li className="flex items-center gap-3 py-2.5 first:pt-0 last:pb-0">
      <Icon aria-hidden className="size-5 shrink-0 text-faint" strokeWidth={1.75} />
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5">
          <span className="truncate font-medium" title={userAgent ?? undefined}>
            {name}
          </span>
          {current && <Badge tone="accent">This browser</Badge>}
          {agent !== null && <Badge>Agent</Badge>}
        </span>
        <span className="text-muted text-xs">
          {METHODS[method]}
          {address && ` · from ${address}`} · signed in <TimeAgo at={createdAt} />
          {!current && (
            <>
              {" · last seen "}
              <TimeAgo at={lastSeenAt} />
            </>
          )}
        </span>
      </div>
      {!current && (
        <Button size="sm" disabled={disabled} aria-label={`End the session of ${name}`} onClick={onEnd}>
          End
        </Button>
      )}
    </li>
  );
}
