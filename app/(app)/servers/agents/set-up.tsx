"use client";

import { Copy } from "lucide-react";
import { useState } from "react";
import { tellError, useChange } from "@/components/form/change.ts";
import { Button } from "@/components/ui/button.tsx";
import { Field, Select } from "@/components/ui/field.tsx";
import { Link } from "@/components/ui/link.tsx";
import { copyText } from "@/components/ui/toast/toast.ts";
import type { TriedHook } from "@/lib/agents/agent-schema.ts";
import type { HookProgram } from "@/lib/agents/hook-programs.ts";
import { hookSetUps } from "@/lib/agents/hook-set-up-words.ts";
import { PLACEHOLDER, setUps } from "@/lib/agents/set-up-words.ts";
import { tryHook } from "@/lib/web/client/agents.ts";

/** Texts to set programs up with, to be copied. `secret`: while it is shown; null once it is known no more. */
export function SetUp({ agentId, url, secret }: { agentId: string; url: string; secret: string | null }) {
  const groups = [
    { title: "To call tools through Intray", items: setUps(url, secret) },
    { title: "To ask before its own tools run", items: hookSetUps(url, secret) },
  ];
  const all = groups.flatMap(({ items }) => items);
  const [chosen, setChosen] = useState(0);
  const { label, where, text, next, note, hook } = all[chosen]!;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Field id="program" label="Set-up for" required>
        {(control) => (
          <Select
            {...control}
            className="md:max-w-60"
            value={chosen}
            onChange={(event) => setChosen(Number(event.target.value))}
          >
            {groups.map(({ title, items }) => (
              <optgroup key={title} label={title}>
                {items.map((each) => (
                  <option key={each.label} value={all.indexOf(each)}>
                    {each.label}
                  </option>
                ))}
              </optgroup>
            ))}
          </Select>
        )}
      </Field>
      <div className="flex items-center justify-between gap-3">
        <p className="min-w-0 text-[13px] text-muted">{where}</p>
        <Button
          size="sm"
          aria-label={`Copy the set-up for ${label}`}
          onClick={() => copyText(text, `Copied the set-up for ${label}`)}
        >
          <Copy aria-hidden strokeWidth={1.75} />
          Copy
        </Button>
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        tabIndex={0}
        className="max-h-80 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-xs leading-relaxed"
      >
        {text}
      </pre>
      <p className="text-[13px]">
        <span className="font-medium">What next. </span>
        {next}
      </p>
      {note && <p className="text-[13px] text-muted">{note}</p>}
      {hook && <TryHook key={hook} agentId={agentId} program={hook} isOnce={secret !== null} />}
      {secret === null && (
        <p className="text-[13px] text-muted">
          Replace {PLACEHOLDER} with the agent’s secret, which was shown once, when it was made. If the secret
          is lost, the person who added the agent makes a new one on this page.
        </p>
      )}
    </div>
  );
}

/**
 * Sends a harmless call by the way of the program's hook, and says what became of it once that is stored. `isOnce`: the page shows a
 * secret only once, so that links leave it open.
 */
function TryHook({ agentId, program, isOnce }: { agentId: string; program: HookProgram; isOnce: boolean }) {
  const [tried, setTried] = useState<TriedHook | null>(null);
  const change = useChange([], () => tryHook(agentId, program), { onDone: setTried, onError: tellError });
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <Button
        size="sm"
        disabled={change.isPending}
        onClick={() => {
          setTried(null);
          change.mutate();
        }}
      >
        {change.isPending ? "Trying…" : "Try it"}
      </Button>
      <p role="status" className="min-w-0 flex-1 basis-60 text-[13px]">
        {tried === null ? (
          <span className="text-muted">
            Sends a harmless call in the agent’s name, as its hook would. Nothing runs.
          </span>
        ) : tried.outcome === "asked" ? (
          <>
            The call waits for a person.{" "}
            <Link
              href={`/inbox/${tried.inputRequestId}?tab=all`}
              target={isOnce ? "_blank" : undefined}
              className="text-accent underline-offset-4 hover:underline"
            >
              Show request
            </Link>
          </>
        ) : (
          `${tried.outcome === "allowed" ? "Allowed" : "Denied"}. ${tried.reason}`
        )}
      </p>
    </div>
  );
}
