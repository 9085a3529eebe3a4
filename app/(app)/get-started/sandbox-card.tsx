"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { FlaskConical } from "lucide-react";
import { switchOrganization } from "@/components/shell/session/leave.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import type { SandboxState } from "@/lib/people/sandbox/sandbox.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { sandbox } from "@/lib/web/client/onboarding.ts";

/** A second organization to try things out in, for the operator alone. */
export function SandboxCard() {
  const me = useMe();
  const client = useQueryClient();
  const options = sandbox(me.may("hosts:allow"));
  const { data } = useQuery(options);
  const make = useMutation({
    mutationFn: () => api.post<SandboxState>("/api/v1/sandbox"),
    onSuccess: (now) => client.setQueryData(options.queryKey, now),
  });
  if (!data || data.state === "impossible") return null;
  const { state, organizationId } = data;
  return (
    <section
      aria-label="Sandbox"
      className="flex flex-wrap items-center gap-x-3.5 gap-y-3 rounded-lg border border-line border-dashed p-4 md:p-5"
    >
      <FlaskConical aria-hidden className="size-5 shrink-0 text-muted" strokeWidth={1.75} />
      <p className="min-w-52 flex-1 text-[13px] text-muted">
        {state === "ready"
          ? "Your sandbox organization has the sample servers. Delete it in its settings when you no longer need it."
          : `A sandbox is a second organization with sample servers. Nothing that happens there affects ${me.organization.name}.`}
      </p>
      {organizationId ? (
        <Button onClick={() => void switchOrganization(organizationId)}>Go to the sandbox</Button>
      ) : (
        <Button disabled={make.isPending || state === "preparing"} onClick={() => make.mutate()}>
          {state === "preparing" ? "Preparing the sandbox…" : "Try it in a sandbox organization"}
        </Button>
      )}
      {make.error && (
        <p role="alert" className="w-full text-[13px] text-bad">
          {errorSentence(make.error)}
        </p>
      )}
    </section>
  );
}
