import { splitSent } from "@/lib/text/labels.ts";

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
