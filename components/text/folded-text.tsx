"use client";

import { useState } from "react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Button } from "@/components/ui/button.tsx";

/** Characters, and lines, shown of a longer text until unfolded. */
const SHOWN = 400;
const LINES_SHOWN = 14;

/** A text that may be a megabyte long: shows the beginning, and the rest on request. */
export function FoldedText({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  const { number } = useFormats();
  const lines = text.slice(0, SHOWN * 1.25).split("\n");
  const isTall = lines.length > LINES_SHOWN;
  if (text.length <= SHOWN * 1.25 && !isTall) return <PlainText text={text} />;
  const short = (isTall ? lines.slice(0, LINES_SHOWN).join("\n") : text).slice(0, SHOWN);
  return (
    <>
      <PlainText text={open ? text : `${short}…`} />
      <Button
        variant="link"
        className="flex px-0 font-normal max-md:min-h-11"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {open ? "Show less" : `Show all ${number(text.length)} characters`}
      </Button>
    </>
  );
}
