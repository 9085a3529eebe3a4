"use client";

import { TrendingUp } from "lucide-react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { PartySummary } from "@/lib/requests/similar/similar-schema.ts";
import { partyCount, partyRange, partyTimes } from "@/lib/requests/words/party-words.ts";
import { visibleText } from "@/lib/text/foreign/hidden.ts";
import { uncapitalise } from "@/lib/text/labels.ts";

/** What was decided before about the party of this request, in a line. */
export function PartyStrip({ party, tool }: { party: PartySummary; tool: string }) {
  const { last } = party;
  const range = partyRange(party, useFormats());
  const times = partyTimes(party);
  return (
    <section
      aria-label={`About ${visibleText(party.name)}`}
      className="flex flex-wrap items-center gap-x-2 gap-y-1 text-[13px] text-muted"
    >
      {times && (
        <Badge tone="wait" icon={TrendingUp}>
          {times}
        </Badge>
      )}
      <span>
        <PlainText text={partyCount(tool, party)} />
        {range && ` · ${range}`}
        {" · last "}
        {uncapitalise(last.words)} <TimeAgo at={last.at} /> by <PlainText text={actorWords(last.by)} />
      </span>
    </section>
  );
}
