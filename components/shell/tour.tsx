"use client";

import { X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Keys } from "@/components/shell/keys/keys.tsx";
import { useShortcuts } from "@/components/shell/keys/use-shortcuts.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { isWide } from "@/components/ui/wide.ts";

const CARDS: { title: string; text: ReactNode; forKeyboards?: true }[] = [
  {
    title: "Your inbox",
    text: "Mine is what you may decide now. Unassigned is what nobody has taken yet. Done keeps what was decided, and by whom.",
  },
  {
    title: "Nothing is sent before you press",
    text: "Opening, reading and typing send nothing. After a decision you still have five seconds to undo it.",
  },
  {
    title: "Quick with the keyboard",
    forKeyboards: true,
    text: (
      <>
        <Keys keys="J" /> and <Keys keys="K" /> step through the list, <Keys keys="?" /> shows every key, and{" "}
        <Keys keys="Ctrl K" /> finds anything.
      </>
    ),
  },
];

/**
 * Three cards on the first visit to the inbox, which block nothing. Closing any card, or Esc, ends the tour
 * for good.
 */
export function Tour({ hiddenOnPhones }: { hiddenOnPhones: boolean }) {
  const { prefer } = useMe();
  const [step, setStep] = useState(0);
  const [closed, setClosed] = useState(false);
  const keyboard = isWide();
  const cards = CARDS.filter((card) => keyboard || !card.forKeyboards);
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
        "appear fixed z-30 flex flex-col gap-2 rounded-xl border border-line bg-panel p-4 shadow-pop",
        "max-md:inset-x-3 max-md:bottom-[calc(72px+env(safe-area-inset-bottom))] md:bottom-4 md:left-[68px] md:w-[276px] lg:left-[228px] xl:w-[348px]",
        hiddenOnPhones && "max-md:hidden",
      )}
    >
      <div role="status" className="flex flex-col gap-1 pr-8">
        <h2 className="font-semibold tracking-tight">{card.title}</h2>
        <p className="text-[13px] text-muted">{card.text}</p>
      </div>
      <div className="flex items-center justify-between">
        <span className="text-muted text-xs">
          {step + 1} of {cards.length}
        </span>
        <Button
          size="sm"
          variant={last ? "primary" : "outline"}
          onClick={last ? end : () => setStep(step + 1)}
        >
          {last ? "Got it" : "Next"}
        </Button>
      </div>
      <button
        type="button"
        aria-label="Close"
        title="Close"
        onClick={end}
        className="absolute top-2.5 right-2.5 grid size-8 place-items-center rounded-md text-muted hover:bg-sunken hover:text-ink max-md:size-11"
      >
        <X aria-hidden className="size-4" strokeWidth={1.75} />
      </button>
    </section>
  );
}
