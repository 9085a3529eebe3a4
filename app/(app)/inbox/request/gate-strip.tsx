"use client";

import { UserRoundCheck } from "lucide-react";
import { useMe } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { TimeUntil } from "@/components/time/time.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Link } from "@/components/ui/link.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { namedInQuotes } from "@/lib/text/foreign/quoted.ts";

/** What an approval in front of a call is for: which call, of whom, by which rule, and for how long. */
export function GateStrip({ request }: { request: InputRequestDetail }) {
  const me = useMe();
  const rule = request.gate?.rule ?? null;
  return (
    <section
      aria-label="Approval before the call"
      className="flex flex-wrap items-center gap-x-2 gap-y-1 text-[13px] text-muted"
    >
      <Badge tone="wait" icon={UserRoundCheck}>
        Approval before the call
      </Badge>
      <span>
        {actorWords(request.requestedBy, { begins: true })} wants to call{" "}
        <span className="font-medium text-ink">
          <PlainText text={namedInQuotes(request.tool)} />
        </span>{" "}
        on <PlainText text={namedInQuotes(request.server.name)} /> with the arguments below, and nothing else.
      </span>
      {rule && (
        <span>
          Required by the rule{" "}
          {me.may("settings:manage") ? (
            <Link href="/settings/call-rules" className="underline underline-offset-4 hover:text-ink">
              <PlainText text={namedInQuotes(rule.name)} />
            </Link>
          ) : (
            <PlainText text={namedInQuotes(rule.name)} />
          )}
          , version {rule.version}.
        </span>
      )}
      {request.state === "open" && request.expiresAt && (
        <span>
          If nobody approves the call within <TimeUntil at={request.expiresAt} over="a moment" />, it is not
          made.
        </span>
      )}
    </section>
  );
}
