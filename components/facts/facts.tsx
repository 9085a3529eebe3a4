"use client";

import type { ClipboardEvent } from "react";
import { CellText } from "@/components/facts/cell-text.tsx";
import { FactsTable } from "@/components/facts/facts-table.tsx";
import { useFormats } from "@/components/shell/session/me.tsx";
import { useFold } from "@/components/text/folds.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Button } from "@/components/ui/button.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { describeFacts, type FactBlock } from "@/lib/text/facts/facts.ts";

/** Shows values that neither fields nor a table can show. Loaded late: few arguments need a tree. */
export const JsonTree = lazyComponent(() => import("./json-tree.tsx").then((file) => file.JsonTree), {
  warm: true,
});

/**
 * Arguments as people read them: fields, and a table for each list. The figures are checked against
 * `message`, the server's sentence.
 */
export function Facts({ values, message }: { values: Record<string, unknown>; message?: string }) {
  const blocks = describeFacts(values, useFormats(), message);
  if (blocks.length === 0) return <p className="text-muted">The tool was called without arguments.</p>;
  return (
    <div className="flex min-w-0 flex-col gap-3" onCopy={copyAsSent}>
      {blocks.map((block, index) => (
        // Two lists may carry the same label; the order of arguments never changes.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <Block key={index} block={block} />
      ))}
    </div>
  );
}

function Block({ block }: { block: FactBlock }) {
  if (block.kind === "fields") return <Fields block={block} />;
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <p className="text-muted">
        <PlainText text={block.label} />
      </p>
      {block.kind === "table" ? (
        <FactsTable table={block} />
      ) : (
        <JsonTree value={block.value} label={`JSON: ${block.label}`} />
      )}
    </div>
  );
}

/** Fields shown before "show all": few people read more. A few more are shown at once. */
const SHOWN = 24;
const WHOLE = 36;

function Fields({ block }: { block: Extract<FactBlock, { kind: "fields" }> }) {
  const isLong = block.fields.length > WHOLE;
  const { open, setOpen, ref } = useFold<HTMLElement>(
    isLong ? { what: "fields", count: block.fields.length - SHOWN } : null,
  );
  const folded = isLong && !open;
  return (
    <section
      ref={ref}
      tabIndex={isLong ? -1 : undefined}
      className="flex flex-col gap-1.5 outline-none"
      aria-label={block.label}
    >
      {block.label && (
        <p className="font-medium text-[13px]">
          <PlainText text={block.label} />
        </p>
      )}
      <dl className="grid grid-cols-[minmax(6rem,auto)_minmax(0,1fr)] gap-x-6 gap-y-1.5">
        {(folded ? block.fields.slice(0, SHOWN) : block.fields).map((field, index) => (
          // Two names may humanise alike; the order never changes.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <div key={index} className="col-span-2 grid grid-cols-subgrid">
            <dt className="max-w-[16rem] break-words text-muted max-md:max-w-[40vw]">
              <PlainText text={field.label} />
            </dt>
            <dd className="min-w-0 whitespace-pre-wrap">
              <CellText cell={field.cell} />
            </dd>
          </div>
        ))}
      </dl>
      {folded && (
        <Button size="sm" className="w-fit" onClick={() => setOpen(true)}>
          Show all {block.fields.length} fields
        </Button>
      )}
    </section>
  );
}

/**
 * Copies an amount selected on its own as the server sent the value: `1000.5` for the displayed `1,000.50`.
 */
function copyAsSent(event: ClipboardEvent): void {
  const selection = document.getSelection();
  const node = selection?.anchorNode;
  const figure = (node instanceof Element ? node : node?.parentElement)?.closest<HTMLElement>("[data-sent]");
  if (!figure || selection?.toString().trim() !== figure.textContent) return;
  event.clipboardData.setData("text/plain", figure.dataset.sent ?? "");
  event.preventDefault();
}
