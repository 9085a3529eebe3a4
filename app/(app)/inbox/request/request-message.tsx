"use client";

import { useRef, useState } from "react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { useFold } from "@/components/text/folds.tsx";
import { HiddenMark, TurnedNote } from "@/components/text/plain-text.tsx";
import { useMeasured } from "@/components/text/use-measured.ts";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { splitHidden } from "@/lib/text/foreign/hidden.ts";
import { type MessageToken, messageTokens, splitMessage } from "@/lib/text/message-tokens.ts";

/** A longer title, in characters, is styled as text. */
const LONG_TITLE = 160;
/**
 * A longer text is folded to half of that: the rest of a text that is only a little longer would be seen anyway. `height`: of
 * as many lines, in px, since long lines and wide letters need more room.
 */
const MOST_UNFOLDED = { characters: 1_600, lines: 20, height: 500 };

/**
 * The server's question, as text, whatever it contains: the first line as the title, the rest below, folded
 * when long. Amounts, dates and ids stand out; nothing is a link.
 */
export function RequestMessage({ message }: { message: string }) {
  const { title, body } = splitMessage(message);
  const hides = splitHidden(message).some((part) => part.kind === "hidden");
  return (
    <div className="flex max-w-[46rem] flex-col gap-2.5">
      <Folded text={title} always={body === ""}>
        <h2
          id="request-title"
          tabIndex={-1}
          dir="auto"
          className={cn(
            "whitespace-pre-wrap break-words outline-none",
            title.length > LONG_TITLE
              ? "font-medium text-[15px] leading-6"
              : "text-balance font-semibold text-[20px] leading-[1.35] tracking-tight md:text-[21px]",
          )}
        >
          <Tokens text={title} />
          <TurnedNote text={title} />
        </h2>
      </Folded>
      {body && (
        <Folded text={body}>
          <div dir="auto" className="whitespace-pre-wrap break-words text-[15px] leading-6">
            <Tokens text={body} />
            <TurnedNote text={body} />
          </div>
        </Folded>
      )}
      {hides && (
        <p className="text-[13px] text-bad">
          The marked places have invisible characters. Intray marks these characters so that they can’t
          mislead you.
        </p>
      )}
    </div>
  );
}

function Folded({
  text,
  always = true,
  children,
}: {
  text: string;
  always?: boolean;
  children: React.ReactNode;
}) {
  const { number } = useFormats();
  const box = useRef<HTMLDivElement>(null);
  const [isTall, setTall] = useState(false);
  useMeasured(box, ({ scrollHeight }) => setTall(scrollHeight > MOST_UNFOLDED.height));
  const isLong =
    always &&
    (isTall || text.length > MOST_UNFOLDED.characters || text.split("\n").length > MOST_UNFOLDED.lines);
  const { open, setOpen, ref } = useFold<HTMLDivElement>(
    isLong ? { what: "message", count: text.length } : null,
  );
  const isFolded = isLong && !open;
  return (
    <div
      ref={ref}
      tabIndex={isLong ? -1 : undefined}
      className="flex flex-col items-start gap-2 outline-none"
    >
      <div ref={box} className={cn("relative w-full", isFolded && "max-h-80 overflow-hidden")}>
        {children}
        {isFolded && (
          <div aria-hidden className="absolute inset-x-0 bottom-0 h-14 bg-linear-to-t from-panel" />
        )}
      </div>
      {isLong && (
        <Button size="sm" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Show less" : `Show all ${number(text.length)} characters`}
        </Button>
      )}
    </div>
  );
}

// The background reaches slightly beyond the figure without moving the text around it.
const FIGURE = "-mx-px rounded-sm bg-sunken px-px box-decoration-clone";
const STYLES: Record<Exclude<MessageToken["kind"], "text" | "hidden">, string> = {
  amount: cn(FIGURE, "whitespace-nowrap font-semibold tabular-nums"),
  date: cn(FIGURE, "whitespace-nowrap"),
  id: FIGURE,
};

/** Isolates each figure: text of another direction beside it cannot reorder its digits. */
function Tokens({ text }: { text: string }) {
  return messageTokens(text).map((token, index) => {
    // The parts are computed from one text, so the index is a stable key.
    const key = index;
    if (token.kind === "text") return token.text;
    if (token.kind === "hidden") return <HiddenMark key={key} text={token.text} />;
    return (
      <bdi key={key} className={STYLES[token.kind]}>
        {token.text}
      </bdi>
    );
  });
}
