"use client";

import { Copy } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Field, Select } from "@/components/ui/field.tsx";
import { copyText } from "@/components/ui/toast/toast.ts";
import { hookSetUps } from "@/lib/agents/hook-set-up-words.ts";
import { PLACEHOLDER, setUps } from "@/lib/agents/set-up-words.ts";

/** Texts to set programs up with, to be copied. `secret`: while it is shown; null once it is known no more. */
export function SetUp({ url, secret }: { url: string; secret: string | null }) {
  const groups = [
    { title: "To call tools through Intray", items: setUps(url, secret) },
    { title: "To ask before its own tools run", items: hookSetUps(url, secret) },
  ];
  const all = groups.flatMap(({ items }) => items);
  const [chosen, setChosen] = useState(0);
  const { label, where, text, next, note } = all[chosen]!;
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
      {secret === null && (
        <p className="text-[13px] text-muted">
          Replace {PLACEHOLDER} with the agent’s secret, which was shown once, when it was made. If the secret
          is lost, the person who added the agent makes a new one on this page.
        </p>
      )}
    </div>
  );
}
