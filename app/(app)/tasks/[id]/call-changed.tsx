"use client";

import { ValueChanges } from "@/components/facts/value-changes.tsx";
import { Notice } from "@/components/ui/notice.tsx";

/** What a person changed in the task's call before they approved it. */
export function CallChanged({
  asked,
  called,
}: {
  asked: Record<string, unknown>;
  called: Record<string, unknown>;
}) {
  return (
    <Notice tone="accent" title="A person approved this call with changes">
      <ValueChanges before={asked} after={called} none="" />
    </Notice>
  );
}
