import { Notice } from "@/components/ui/notice.tsx";

/** A form that is not shown, and why. */
export function NoForm({ reason }: { reason: string }) {
  return (
    <Notice tone="wait" title="This form is not shown">
      <p className="wrap-anywhere">{reason}.</p>
      <p>You can decline, with a reason.</p>
    </Notice>
  );
}
