"use client";

import { SquareTerminal } from "lucide-react";
import { Facts } from "@/components/facts/facts.tsx";
import { useFormats } from "@/components/shell/session/me.tsx";
import { FoldedText, useFold } from "@/components/text/folds.tsx";
import { LineDiff } from "@/components/text/line-diff.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { ScrollX } from "@/components/ui/scroll-x.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { hiddenIn, type ProgramCall, shownCall } from "@/lib/requests/words/program-call.ts";
import { namedInQuotes } from "@/lib/text/foreign/quoted.ts";
import { plural } from "@/lib/text/labels.ts";

/** The call that a coding agent asks about through its hook. All texts in it are the program's, and untrusted. */
export function ProgramsCall({ request, call }: { request: InputRequestDetail; call: ProgramCall }) {
  const shown = shownCall(call);
  return (
    <section className="flex min-w-0 flex-col gap-3" aria-label="The call">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-[13px] text-muted">
        <Badge icon={SquareTerminal}>{call.program}</Badge>
        <span className="min-w-0">
          {actorWords(request.requestedBy, { begins: true })} wants to use{" "}
          <span className="font-medium text-ink">
            <PlainText text={namedInQuotes(call.tool)} />
          </span>
          {call.cwd !== null && (
            <>
              {" "}
              in{" "}
              <span className="break-words font-mono text-xs">
                <PlainText text={call.cwd} isCode />
              </span>
            </>
          )}
          .
          {call.by !== null && (
            <>
              {" "}
              Its helper <PlainText text={namedInQuotes(call.by)} /> makes the call.
            </>
          )}{" "}
          {call.why !== null && <PlainText text={call.why} />}
        </span>
      </p>
      {(shown.kind === "command" || shown.kind === "patch") && (
        <ScrollX
          label={shown.kind === "command" ? "Command" : "Patch"}
          className="whitespace-pre-wrap break-words px-3 py-2 font-mono text-[13px] leading-6"
        >
          <FoldedText text={shown.kind === "command" ? shown.command : shown.patch} isCode />
        </ScrollX>
      )}
      {shown.kind === "edit" && (
        <>
          <p className="break-all font-mono text-[13px]">
            <PlainText text={shown.path} isCode />
          </p>
          {shown.changes.map(({ before, after }, index) => (
            // The order of the changes never changes.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <LineDiff key={index} before={before} after={after} label={`Change ${index + 1}`} />
          ))}
          {shown.hasWindowsEnds && <p className="text-[13px] text-muted">Windows line ends (CRLF).</p>}
          {shown.changes.some(({ before }) => before === null) && (
            <p className="text-[13px] text-muted">
              The call writes the whole file. Intray does not know the current content of the file.
            </p>
          )}
        </>
      )}
      {(shown.kind === "arguments" || Object.keys(shown.rest).length > 0) && <Facts values={shown.rest} />}
      {call.isMasked && <HiddenParts call={call} />}
    </section>
  );
}

/** Folded at first, so that nobody approves what they can't see without reading that they can't. */
function HiddenParts({ call }: { call: ProgramCall }) {
  const { number } = useFormats();
  const count = hiddenIn(call);
  const { open, setOpen, ref } = useFold<HTMLButtonElement>({ what: "hidden", count });
  return (
    <Notice
      tone="wait"
      title={`Parts of this call are hidden: ${plural(count, "place")}`}
      action={
        <Button
          ref={ref}
          variant="link"
          className="px-0 max-md:min-h-11"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {open ? "Show less" : "Show what is hidden"}
        </Button>
      }
    >
      {open && (
        <>
          <ul className="list-disc pl-4">
            {call.hidden?.map(({ where, what, characters }, at) => (
              // The order never changes.
              // biome-ignore lint/suspicious/noArrayIndexKey: see above
              <li key={at}>
                A {what} of {number(characters)} characters in <PlainText text={namedInQuotes(where)} />
              </li>
            ))}
          </ul>
          <p>
            Intray shows each as ••• and does not store it. The program makes the call with the hidden values.
            Call rules and the policy have judged the whole call.
          </p>
        </>
      )}
    </Notice>
  );
}
