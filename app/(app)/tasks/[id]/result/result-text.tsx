"use client";

import { Copy } from "lucide-react";
import { useState } from "react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Button } from "@/components/ui/button.tsx";
import { copyText } from "@/components/ui/toast/toast.ts";

/** Characters shown at first. */
const SHOWN = 4_000;
const MORE = 50_000;

/** Plain text without markdown or links; a long text unfolds piece by piece. */
export function ResultText({ text }: { text: string }) {
  const [shown, setShown] = useState(SHOWN);
  const left = text.length - shown;
  const { number } = useFormats();
  return (
    <div className="flex flex-col gap-1.5 rounded-lg border border-line bg-panel px-3.5 py-3">
      <div className="flex gap-3">
        <p className="min-w-0 flex-1 whitespace-pre-wrap">
          <PlainText text={left > 0 ? `${text.slice(0, shown)}…` : text} />
        </p>
        <CopyButton text={text} what="the text" />
      </div>
      {left > 0 && (
        <Button
          variant="link"
          className="w-fit px-0 font-normal max-md:min-h-11"
          onClick={() => setShown(shown + MORE)}
        >
          Show more ({number(left)} characters left)
        </Button>
      )}
    </div>
  );
}

export function CopyButton({ text, what }: { text: string; what: string }) {
  return (
    <Button
      size="icon"
      variant="ghost"
      className="-my-1.5 -mr-2"
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
      onClick={() => copyText(text, "Copied")}
    >
      <Copy aria-hidden strokeWidth={1.75} />
    </Button>
  );
}
