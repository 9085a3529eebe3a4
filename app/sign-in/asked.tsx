import { Notice } from "@/components/ui/notice.tsx";

/** Says what an organization asks for before it lets the person in. */
export function Asked({ asked }: { asked: { sentence: string } }) {
  return <Notice tone="wait" title={asked.sentence} />;
}
