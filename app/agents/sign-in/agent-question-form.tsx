"use client";

import { type ReactNode, useState } from "react";
import { ApiProvider } from "@/components/shell/api-provider.tsx";
import { StepUp } from "@/components/shell/session/step-up.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Select } from "@/components/ui/field.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { Role } from "@/lib/access/roles.ts";
import type { Redirect } from "@/lib/agents/oauth/agent-oauth-status.ts";
import { ApiError, api, errorSentence, speakFor } from "@/lib/web/client/base/client.ts";

interface Props {
  handle: string;
  /** What it says of itself, and who publishes that; null: nobody, it registered by itself. */
  client: { name: string | null; publisher: string | null };
  redirect: Redirect;
  servers: string[];
  me: {
    name: string;
    role: Role;
    organization: { id: string; name: string };
    others: { id: string; name: string }[];
    /** For whom the page is rendered; the answer counts for this organization alone. */
    drawnFor: string;
  };
}

/** Says who asks and what they would get, and takes the member's decision. No key decides. */
export function AgentQuestionForm(props: Props) {
  const [drawnAt] = useState(() => {
    speakFor(props.me.drawnFor);
    return Date.now();
  });
  return (
    <ApiProvider read={[]} drawnAt={drawnAt}>
      <Question {...props} />
      <StepUp />
    </ApiProvider>
  );
}

type Decision = "allow" | "deny";

function Question({ handle, client, redirect, servers, me }: Props) {
  const [pending, setPending] = useState<Decision | "switch" | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [answered, setAnswered] = useState<Decision | null>(null);
  const run = async (what: Decision | "switch", work: () => Promise<void>) => {
    setPending(what);
    setFailure(null);
    try {
      await work();
    } catch (error) {
      setFailure(error instanceof ApiError ? error.sentence : errorSentence(error));
      setPending(null);
    }
  };
  const decide = (decision: Decision) =>
    run(decision, async () => {
      const { url } = await api.post<{ url: string }>("/api/v1/agent-sign-ins", {
        request: handle,
        decision,
      });
      setAnswered(decision);
      // A full load: the way back leads out of Intray.
      window.location.assign(url);
    });
  const switchTo = (organizationId: string) =>
    run("switch", async () => {
      await api.put("/api/v1/me/organization", { organizationId });
      window.location.reload();
    });
  if (answered)
    return (
      <Notice live tone={answered === "allow" ? "good" : "neutral"} title={ANSWERED[answered]}>
        <p>Go back to your agent. You can close this tab once it has the answer.</p>
      </Notice>
    );
  return (
    <div className="flex flex-col gap-5">
      {failure && <Notice live tone="bad" title={failure} />}
      <dl className="flex flex-col gap-3 rounded-lg border border-line bg-panel px-4 py-3.5">
        <Fact name="Name (not verified)">{client.name ?? "No name"}</Fact>
        <Fact name="Publisher">{client.publisher ?? "Unknown publisher"}</Fact>
        <Fact name="Redirects to">{placeOf(redirect)}</Fact>
        <Fact name="Acts as">
          {me.name}, {me.role} of {me.organization.name}
        </Fact>
        <Fact name="May call">
          {servers.length > 0
            ? `Tools of ${servers.join(", ")}, as an admin granted them`
            : "No tools yet: an admin grants them under Agents"}
        </Fact>
      </dl>
      {me.others.length > 0 && (
        <div className="flex flex-col gap-1.5">
          <label htmlFor="organization" className="font-medium text-[13px]">
            Organization
          </label>
          <Select
            id="organization"
            value={me.organization.id}
            disabled={pending !== null}
            onChange={({ target }) => void switchTo(target.value)}
          >
            {[me.organization, ...me.others].map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        </div>
      )}
      <Notice tone="wait" title="Did you start this sign-in?">
        <p>{WARNINGS[redirect.kind]}</p>
      </Notice>
      <p className="text-[13px] text-muted">
        It can ask people questions and call the tools that it is granted, in your name. It can’t answer or
        approve anything. You can sign it out at any time under Settings → Security.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" disabled={pending !== null} onClick={() => void decide("allow")}>
          {pending === "allow" ? "Allowing…" : "Allow"}
        </Button>
        <Button disabled={pending !== null} onClick={() => void decide("deny")}>
          Deny
        </Button>
      </div>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-0.5">
      <dt className="text-muted text-xs">{name}</dt>
      <dd className="min-w-0">
        <bdi className="break-words font-medium">{children}</bdi>
      </dd>
    </div>
  );
}

function placeOf(redirect: Redirect): string {
  if (redirect.kind === "site") return redirect.host;
  return redirect.kind === "computer"
    ? "A program on this computer"
    : `The app on this computer that opens ${redirect.scheme}: links`;
}

const WARNINGS: Record<Redirect["kind"], string> = {
  computer:
    "If you did not, choose Deny: another program on this computer, or the person who sent you a link to this page, wants to act as you in Intray.",
  app: "If you did not, choose Deny: another app on this computer, or the person who sent you a link to this page, wants to act as you in Intray.",
  site: "If you did not, or don’t know the site it redirects to, choose Deny: somebody else wants to act as you in Intray.",
};

const ANSWERED: Record<Decision, string> = { allow: "Allowed", deny: "Denied" };
