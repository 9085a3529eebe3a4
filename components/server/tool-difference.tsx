import type { ReactNode } from "react";
import { PlainText } from "@/components/text/plain-text.tsx";
import { WordDiff } from "@/components/text/word-diff.tsx";
import type { ToolText } from "@/lib/servers/server-schema.ts";
import { toolDifference } from "@/lib/servers/words/tool-difference.ts";

/** The changes between two definitions of a tool. All texts come from the server and are untrusted. */
export function ToolDifference({ before, after }: { before: ToolText; after: ToolText }) {
  const [was, is] = [inLines(before.inputSchema), inLines(after.inputSchema)];
  return (
    <div className="flex flex-col gap-1.5">
      {before.title !== after.title && <WordDiff before={before.title ?? ""} after={after.title ?? ""} />}
      {before.description !== after.description && (
        <WordDiff before={before.description ?? ""} after={after.description ?? ""} />
      )}
      {toolDifference(before, after).map((line) => (
        <p key={line}>
          <PlainText text={line} />
        </p>
      ))}
      {was !== is && (
        <SchemaText title="Input schema, before and after">
          <WordDiff before={was} after={is} />
        </SchemaText>
      )}
    </div>
  );
}

/** A schema, folded. */
export function SchemaText({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details>
      <summary className="w-fit rounded-sm text-muted hover:text-ink max-md:min-h-11 max-md:py-3">
        {title}
      </summary>
      <div
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        tabIndex={0}
        className="max-h-80 overflow-auto whitespace-pre-wrap break-words rounded-md border border-line bg-panel p-3 font-mono text-xs leading-relaxed"
      >
        {children}
      </div>
    </details>
  );
}

export const inLines = (schema: unknown) => JSON.stringify(schema, null, 2);
