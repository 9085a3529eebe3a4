import { nameHidden, readsFromRight, splitHidden } from "@/lib/text/foreign/hidden.ts";
import { splitSent } from "@/lib/text/labels.ts";

/** A text that hides more than that is no more readable by its further codes, and each takes an element of the page. */
const MOST_MARKS = 20;

/**
 * Untrusted text. Isolated, so that its direction cannot reorder the text around it; invisible characters are
 * shown by their codes, and a text that is read from the right says so where its figures stand in another order. Each line has its own
 * direction. `isCode`: every character stands in its order from left to right, since a program reads it so, and `>` is not `<`.
 */
export function PlainText({ text, isCode = false }: { text: string; isCode?: boolean }) {
  const Isolated = isCode ? "bdo" : "bdi";
  return (
    <>
      <Isolated
        {...(isCode
          ? { dir: "ltr", className: "[unicode-bidi:isolate-override]" }
          : { className: "[unicode-bidi:plaintext]" })}
      >
        {splitHidden(text, MOST_MARKS).map((token, index) => {
          // The parts are computed from one text, so the index is a stable key.
          const key = index;
          return token.kind === "hidden" ? <HiddenMark key={key} text={token.text} /> : token.text;
        })}
      </Isolated>
      {!isCode && <TurnedNote text={text} />}
    </>
  );
}

/** Says of a text that it stands in another order than it is written. */
export function TurnedNote({ text }: { text: string }) {
  if (!readsFromRight(text)) return null;
  return (
    <>
      {" "}
      <bdi className="whitespace-nowrap font-normal text-[0.75em] text-muted">(right to left)</bdi>
    </>
  );
}

export function HiddenMark({ text }: { text: string }) {
  const { code, name } = nameHidden(text);
  return (
    <span
      title={name}
      className="whitespace-nowrap rounded-sm border border-bad/30 bg-bad-soft px-1 font-medium font-mono text-[0.75em] text-bad"
    >
      {code}
    </span>
  );
}

/** The title of a choice, with what it sends in smaller letters. */
export function ChoiceTitle({ text }: { text: string }) {
  const { called, sent } = splitSent(text);
  return (
    <bdi>
      {called}
      {sent && (
        <bdi dir="ltr" className="font-normal text-[0.85em]">
          {sent}
        </bdi>
      )}
    </bdi>
  );
}
