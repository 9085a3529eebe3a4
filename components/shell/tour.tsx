"use client";

import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Keys } from "@/components/shell/keys/keys.tsx";
import { useShortcuts } from "@/components/shell/keys/use-shortcuts.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { isWide } from "@/components/ui/wide.ts";
import { plural } from "@/lib/text/labels.ts";
import { undoWindow } from "@/lib/web/client/organization.ts";

/**
 * Three cards on the first visit to the inbox, in a strip above the page that covers nothing. Closing any
 * card, or Esc, ends the tour for good.
 */
export function Tour({ hiddenOnPhones }: { hiddenOnPhones: boolean }) {
  const { prefer } = useMe();
  const [step, setStep] = useState(0);
  const [closed, setClosed] = useState(false);
  const undo = useQuery(undoWindow()).data;
  const cards: { title: string; text: ReactNode }[] = [
    {
      title: "Your inbox",
      text: "“For you” is what you may decide now. Unassigned is what nobody has claimed yet. Done keeps what was decided, and by whom.",
    },
    {
      title: "Nothing is sent before you press",
      text: `Opening, reading and typing send nothing. ${undo ? undoWords(undo.holdMs) : ""}`,
    },
  ];
  if (isWide())
    cards.push({
      title: "Quick with the keyboard",
      text: (
        <>
          <Keys keys="J" /> and <Keys keys="K" /> step through the list, <Keys keys="?" /> shows every key,
          and <Keys keys="Ctrl K" /> finds anything.
        </>
      ),
    });
  const card = cards[step];
  const end = () => {
    setClosed(true);
    // If saving fails, the tour returns on the next visit.
    prefer({ tourSeen: true }).catch(() => undefined);
  };
  useShortcuts({ escape: end });
  if (closed || !card) return null;
  const last = step === cards.length - 1;
  return (
    <section
      aria-label="First visit"
      className={cn(
        "flex min-h-12 shrink-0 items-center gap-x-4 gap-y-1 border-line border-b bg-accent-soft px-4 py-2 max-md:min-h-[116px] max-md:flex-wrap",
        hiddenOnPhones && "max-md:hidden",
      )}
    >
      <div role="status" className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3 max-md:basis-full">
        <h2 className="font-semibold tracking-tight">{card.title}</h2>
        <p className="text-[13px] text-muted">{card.text}</p>
      </div>
      <span className="text-muted text-xs max-md:mr-auto">
        {step + 1} of {cards.length}
      </span>
      <Button size="sm" variant={last ? "primary" : "outline"} onClick={last ? end : () => setStep(step + 1)}>
        {last ? "Got it" : "Next"}
      </Button>
      <Button variant="ghost" size="icon" aria-label="Close" title="Close" onClick={end}>
        <X aria-hidden strokeWidth={1.75} />
      </Button>
    </section>
  );
}

function undoWords(holdMs: number): string {
  if (holdMs === 0) return "A decision is sent at once: your organization leaves no time to undo it.";
  return `After a decision you have ${plural(holdMs / 1_000, "second")} to undo it.`;
}
