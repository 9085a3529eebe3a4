"use client";

import { useState } from "react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Button } from "@/components/ui/button.tsx";

/** Characters shown of a longer text until unfolded. */
const SHOWN = 400;

/** A text that may be a megabyte long: shows the beginning, and the rest on request. */
export function FoldedText({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  const { number } = useFormats();
  if (text.length <= SHOWN * 1.25) return <PlainText text={text} />;
  return (
    <>
      <PlainText text={open ? text : `${text.slice(0, SHOWN)}…`} />
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
