import { CellText } from "@/components/facts/cell-text.tsx";
import { FactsTable } from "@/components/facts/facts-table.tsx";
import { JsonTree } from "@/components/facts/json-tree.tsx";
import { describeFacts, type FactBlock } from "@/lib/format/facts.ts";

/**
 * Arguments as people read them: fields, and a table for each list. `message` is the server's sentence, with which
 * recomputed sums are compared.
 */
export function Facts({ values, message }: { values: Record<string, unknown>; message?: string }) {
  const blocks = describeFacts(values);
  if (blocks.length === 0) return <p className="text-muted">The tool was called without arguments.</p>;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {blocks.map((block, index) => (
        // Two lists may carry the same label; the order of arguments never changes.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <Block key={index} block={block} {...(message ? { message } : {})} />
      ))}
    </div>
  );
}

function Block({ block, message }: { block: FactBlock; message?: string }) {
  switch (block.kind) {
    case "fields":
      return (
        <section className="flex flex-col gap-1.5" aria-label={block.label}>
          {block.label && <p className="font-medium text-[13px]">{block.label}</p>}
          <dl className="grid grid-cols-[minmax(6rem,auto)_1fr] gap-x-6 gap-y-1.5">
            {block.fields.map((field) => (
              <div key={field.label} className="col-span-2 grid grid-cols-subgrid">
                <dt className="text-muted">{field.label}</dt>
                <dd className="min-w-0 whitespace-pre-wrap">
                  <CellText cell={field.cell} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      );
    case "table":
      return <FactsTable table={block} {...(message ? { message } : {})} />;
    case "json":
      return (
        <div className="flex flex-col gap-1.5">
          <p className="text-muted">{block.label}</p>
          <JsonTree value={block.value} />
        </div>
      );
  }
}
