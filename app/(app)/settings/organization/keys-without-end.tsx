"use client";

import { Notice } from "@/components/ui/notice.tsx";
import { Switch } from "@/components/ui/switch.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { errorSentence } from "@/lib/api-client/base/client.ts";
import type { Organization } from "@/lib/organizations/schema.ts";
import { Section } from "../section.tsx";
import { useUpdate } from "./use-update.ts";

/** Whether new API keys may have no end, for owners. The switch takes effect at once. */
export function KeysWithoutEnd({ saved }: { saved: Organization }) {
  const update = useUpdate(({ keysWithoutEnd }) =>
    toast(keysWithoutEnd ? "New API keys may have no end" : "New API keys have to end"),
  );
  const isOn = update.isPending ? update.variables.keysWithoutEnd === true : saved.keysWithoutEnd;
  return (
    <Section title="API keys">
      <Switch
        checked={isOn}
        onChange={(keysWithoutEnd) => update.mutate({ keysWithoutEnd })}
        label="Allow API keys without an end"
        description="Otherwise a new key ends after a year at most. Keys that have no end today keep none."
      />
      {update.error && <Notice live tone="bad" title={errorSentence(update.error)} />}
    </Section>
  );
}
