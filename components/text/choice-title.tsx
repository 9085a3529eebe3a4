/** What is sent, behind the title of a choice that has other words (lib/mcp/forms/choices.ts). */
const SENT = / \(sends [^\n]*\)$/;

/** The title of a choice, with what it sends in smaller letters. */
export function ChoiceTitle({ text }: { text: string }) {
  const [sent = ""] = SENT.exec(text) ?? [];
  return (
    <bdi>
      {text.slice(0, text.length - sent.length)}
      {sent && <span className="font-normal text-[0.85em]">{sent}</span>}
    </bdi>
  );
}
