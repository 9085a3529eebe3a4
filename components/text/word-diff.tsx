import { PlainText } from "@/components/text/plain-text.tsx";
import { diffWords } from "@/lib/text/text-diff.ts";

/**
 * Two untrusted texts as one; deletions and insertions are marked by more than colour. The lines are those of the new text: a line
 * break that is gone is a sign.
 */
export function WordDiff({ before, after }: { before: string; after: string }) {
  return (
    <p className="whitespace-pre-wrap">
      {diffWords(before, after).map((part, index) => {
        // The parts are computed from two fixed texts, so the index is a stable key.
        const key = index;
        if (part.kind === "gone") {
          return (
            <del key={key} className="rounded-sm bg-bad-soft px-0.5 text-bad">
              <span className="sr-only">gone: </span>
              <PlainText text={withSigns(part.text).replaceAll("⏎\n", "⏎")} />
            </del>
          );
        }
        if (part.kind === "new") {
          return (
            <ins key={key} className="rounded-sm bg-good-soft px-0.5 font-medium text-good no-underline">
              <span className="sr-only">new: </span>
              <PlainText text={withSigns(part.text)} />
            </ins>
          );
        }
        return <PlainText key={key} text={part.text} />;
      })}
    </p>
  );
}

/** Line breaks, and blanks alone, as signs: nobody sees the colour behind a blank. */
function withSigns(text: string): string {
  const shown = /^[ \n]*$/.test(text) ? text.replaceAll(" ", "·") : text;
  return shown.replaceAll("\n", "⏎\n");
}
