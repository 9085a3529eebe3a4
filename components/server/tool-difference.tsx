import { PlainText } from "@/components/text/plain-text.tsx";
import { WordDiff } from "@/components/text/word-diff.tsx";
import type { ToolText } from "@/lib/servers/schema.ts";
import { diffFields } from "@/lib/text/schema-diff.ts";

/** The changes between two definitions of a tool. All texts come from the server and are untrusted. */
export function ToolDifference({ before, after }: { before: ToolText; after: ToolText }) {
  const fields = diffFields(before.inputSchema, after.inputSchema);
  const annotations = annotationLines(before.annotations, after.annotations);
  return (
    <div className="flex flex-col gap-1.5">
      {before.title !== after.title && <WordDiff before={before.title ?? ""} after={after.title ?? ""} />}
      {before.description !== after.description && (
        <WordDiff before={before.description ?? ""} after={after.description ?? ""} />
      )}
      {[...fields, ...annotations, ...recipeLines(before.recipe, after.recipe)].map((line) => (
        <p key={line}>
          <PlainText text={line} />
        </p>
      ))}
    </div>
  );
}

function annotationLines(before: ToolText["annotations"], after: ToolText["annotations"]): string[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const say = (value: unknown) => (value === undefined ? "not said" : JSON.stringify(value));
  return [...names].flatMap((name) => {
    const [was, is] = [say(before?.[name]), say(after?.[name])];
    return was === is ? [] : [`The server’s claim ${name}: ${was} → ${is}`];
  });
}

function recipeLines(before: ToolText["recipe"], after: ToolText["recipe"]): string[] {
  const [was, is] = [before?.tools ?? {}, after?.tools ?? {}];
  const changed = Object.keys(is).filter((name) => was[name] !== undefined && was[name] !== is[name]);
  return [
    ...(before && after && before.version !== after.version
      ? [`The recipe: version ${before.version} → ${after.version}`]
      : []),
    ...changed.map((name) => `The server says something else of ${name}, which the recipe calls`),
  ];
}
