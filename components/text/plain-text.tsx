import { nameHidden, splitHidden } from "@/lib/text/message-tokens.ts";

/**
 * Text of others, as text: isolated, so that its direction cannot reorder what stands around it, and with what cannot
 * be seen shown by its code.
 */
export function PlainText({ text }: { text: string }) {
  return (
    <bdi>
      {splitHidden(text).map((token, index) => {
        // The parts are computed from one text: their place is their identity.
        const key = index;
        return token.kind === "hidden" ? <HiddenMark key={key} text={token.text} /> : token.text;
      })}
    </bdi>
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
