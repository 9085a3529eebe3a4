"use client";

import { useMe } from "@/components/shell/session/me.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Switch } from "@/components/ui/switch.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { errorSentence } from "@/lib/api-client/base/client.ts";
import type { Organization } from "@/lib/organizations/schema.ts";
import { Section } from "../section.tsx";
import { useUpdate } from "./use-update.ts";

/** The four-eyes rule. The switch takes effect at once. */
export function FourEyes({ saved }: { saved: Organization }) {
  const me = useMe();
  const update = useUpdate(({ fourEyes }) =>
    toast(fourEyes ? "A second person is required from now on" : "A second person is no longer required"),
  );
  const isOn = update.isPending ? update.variables.fourEyes === true : saved.fourEyes;
  if (!me.may("settings:manage"))
    return (
      <Section title="Require a second person">
        <p className="text-muted">
          {isOn
            ? "Whoever asked for a task may not accept its requests: somebody else has to. Declining is always possible."
            : "Off: everybody who may answer may accept what they asked for."}
        </p>
      </Section>
    );
  return (
    <Section title="Require a second person">
      <Switch
        checked={isOn}
        onChange={(fourEyes) => update.mutate({ fourEyes })}
        label="Require a second person"
        description="Whoever asked for a task, themselves or with an API key, may not accept its requests. Declining is always possible."
      />
      {update.error && <Notice live tone="bad" title={errorSentence(update.error)} />}
    </Section>
  );
}
