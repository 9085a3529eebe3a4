"use client";

import { useFormats } from "@/components/shell/session/me.tsx";
import { useFold } from "@/components/text/folds.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Button } from "@/components/ui/button.tsx";

/** Characters, and lines, shown of a longer text until unfolded. A text that is only a little longer is not folded. */
const SHOWN = 400;
const WHOLE = 600;
const LINES_SHOWN = 14;

/** A text that may be a megabyte long: shows the beginning, and the rest on request. */
export function FoldedText({ text }: { text: string }) {
  const { number } = useFormats();
  const lines = text.slice(0, WHOLE).split("\n");
  const isTall = lines.length > LINES_SHOWN;
  const isFolded = text.length > WHOLE || isTall;
  const { open, setOpen, ref } = useFold<HTMLButtonElement>(
    isFolded ? { what: "text", count: text.length } : null,
  );
  if (!isFolded) return <PlainText text={text} />;
  const short = (isTall ? lines.slice(0, LINES_SHOWN).join("\n") : text).slice(0, SHOWN);
  return (
    <>
      <PlainText text={open ? text : `${short}…`} />
      <Button
        ref={ref}
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
