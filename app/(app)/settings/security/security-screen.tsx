"use client";

import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { CircleDot, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { NewPasswordField, TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { ReadList } from "@/components/people/read-list.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { LoadMore } from "@/components/ui/load-more.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { changePasswordSchema, type Security } from "@/lib/people/accounts/account-schema.ts";
import { securityEventWords } from "@/lib/people/accounts/security-event-words.ts";
import { ApiError, api, errorSentence } from "@/lib/web/client/base/client.ts";
import { security, securityEvents, sessions } from "@/lib/web/client/identity.ts";
import { ownReads } from "@/lib/web/client/tasks/task-history.ts";
import { Section } from "../section.tsx";
import { PasskeysSection } from "./passkeys-section.tsx";
import { SamlLinksSection } from "./saml-links-section.tsx";
import { SecondFactorSection } from "./second-factor-section.tsx";
import { SessionsSection } from "./sessions-section.tsx";

/** Listed at first; the rest comes with a press. */
const LISTED = 8;

/** What happened to the user's account lately. */
function RecentActivity() {
  const events = useQuery(securityEvents());
  const [all, setAll] = useState(false);
  const items = events.data?.items ?? [];
  if (events.isError && !events.data)
    return <LoadFailure what="Recent activity" error={events.error} onRetry={() => void events.refetch()} />;
  return (
    <Section
      title="Recent activity"
      description="Sign-ins, also failed ones, and changes of how you sign in. Only you see this."
    >
      {!events.data && <div aria-hidden className="skeleton h-32" />}
      {events.data?.items.length === 0 && <p className="text-[13px] text-muted">Nothing yet.</p>}
      <ul aria-label="Recent activity" className="flex flex-col divide-y divide-line">
        {(all ? items : items.slice(0, LISTED)).map((event) => {
          const { what, about, bad } = securityEventWords(event);
          const Icon = bad ? TriangleAlert : CircleDot;
          return (
            <li key={event.id} className="flex items-start gap-3 py-2 first:pt-0">
              <Icon
                aria-hidden
                className={cn("mt-0.5 size-4 shrink-0", bad ? "text-wait" : "text-faint")}
                strokeWidth={1.75}
              />
              <span className="flex min-w-0 flex-1 flex-col">
                <span>{what}</span>
                {about && (
                  <span className="break-words text-[13px] text-muted">
                    <PlainText text={about} />
                  </span>
                )}
              </span>
              <TimeAgo at={event.lastAt} className="shrink-0 text-[13px] text-muted" />
            </li>
          );
        })}
      </ul>
      {!all && items.length > LISTED && (
        <div>
          <Button onClick={() => setAll(true)}>Show all {items.length}</Button>
        </div>
      )}
    </Section>
  );
}

/** The user's ways to sign in, and their sessions. */
export function SecurityScreen() {
  const ways = useQuery(security());
  const places = useQuery(sessions());
  const [changed, setChanged] = useState<string | null>(null);
  const failed = [ways, places].find((query) => query.isError && !query.data);
  if (failed?.error instanceof ApiError && failed.error.code === "organization_session")
    return (
      <Notice title="You signed in through your organization.">
        This session does not reach the settings of your account. Sign in with your own password or passkey to
        change how you sign in.
      </Notice>
    );
  if (failed?.error) {
    const retry = () => void Promise.all([ways.refetch(), places.refetch()]);
    return <LoadFailure what="Your account" error={failed.error} onRetry={retry} />;
  }
  if (!ways.data || !places.data) {
    return (
      <div aria-hidden className="flex flex-col gap-4">
        <div className="skeleton h-56" />
        <div className="skeleton h-32" />
        <div className="skeleton h-32" />
        <div className="skeleton h-44" />
      </div>
    );
  }
  const { password, secondFactor, passkeys, identities } = ways.data;
  const others = places.data.items.filter(({ current }) => !current).length;
  return (
    <>
      {changed && others > 0 && (
        <EndOthersOffer changed={changed} others={others} onDone={() => setChanged(null)} />
      )}
      <PasswordSection has={password} />
      <SecondFactorSection state={secondFactor} password={password} onChanged={setChanged} />
      <PasskeysSection passkeys={passkeys} password={password} onChanged={setChanged} />
      {identities.length > 0 && <IdentitiesSection identities={identities} />}
      <SamlLinksSection />
      <SessionsSection sessions={places.data.items} />
      <RecentActivity />
      <OwnAccess />
    </>
  );
}

/** The linked accounts of identity providers. */
function IdentitiesSection({ identities }: { identities: Security["identities"] }) {
  return (
    <Section title="Single sign-on" description="Accounts elsewhere that sign you in here.">
      <ul aria-label="Single sign-on" className="flex flex-col divide-y divide-line">
        {identities.map(({ provider, createdAt, lastUsedAt }) => (
          <li key={`${provider} ${createdAt}`} className="flex flex-col py-2 first:pt-0 last:pb-0">
            <span className="truncate font-medium">{provider}</span>
            <span className="text-muted text-xs">
              Since <TimeAgo at={createdAt} /> · last used <TimeAgo at={lastUsedAt} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Who looked at what is the user's, in the organization that they work in. */
function OwnAccess() {
  const { organization } = useMe();
  const reads = useInfiniteQuery(ownReads());
  if (reads.isError && !reads.data)
    return <LoadFailure what="The access log" error={reads.error} onRetry={() => void reads.refetch()} />;
  const items = reads.data?.pages.flatMap((page) => page.items);
  return (
    <Section
      title="Access log"
      description={`In ${organization.name}: who opened protocol messages and documents of your tasks and requests, exports, and lists viewed as you. Opening a request or a list is not recorded.`}
    >
      {!items && <div aria-hidden className="skeleton h-24" />}
      {items?.length === 0 && <p className="text-[13px] text-muted">Nobody yet.</p>}
      {items && items.length > 0 && <ReadList reads={items} whose={null} label="Access log" />}
      <LoadMore query={reads} />
    </Section>
  );
}

/**
 * Offers to end the other sessions after a way to sign in changed: whoever holds one of them came in by the ways of
 * before. A new password ends them by itself.
 */
function EndOthersOffer({
  changed,
  others,
  onDone,
}: {
  /** What changed, as a sentence without its full stop. */
  changed: string;
  /** How many other sessions there are. */
  others: number;
  onDone: () => void;
}) {
  const client = useQueryClient();
  const end = useMutation({
    mutationFn: () => api.delete("/api/v1/me/sessions"),
    onSuccess: () => {
      toast("All other sessions ended");
      onDone();
    },
    onError: (error) => toast.error(errorSentence(error)),
    onSettled: () => client.invalidateQueries({ queryKey: sessions().queryKey }),
  });
  return (
    <Notice
      live
      tone="wait"
      title={`${changed}. You are signed in in ${others === 1 ? "one other place" : `${others} other places`}`}
      action={
        <span className="flex flex-wrap gap-2">
          <Button disabled={end.isPending} onClick={() => end.mutate()}>
            {others === 1 ? "End the other session" : `End the ${others} other sessions`}
          </Button>
          <Button variant="ghost" disabled={end.isPending} onClick={onDone}>
            Keep {others === 1 ? "it" : "them"}
          </Button>
        </span>
      }
    >
      <p>Sessions that were opened before stay signed in. End them unless all of them are yours.</p>
    </Notice>
  );
}

/** Changes the password; an account without one signs in another way. */
function PasswordSection({ has }: { has: boolean }) {
  if (has) return <ChangePassword />;
  return (
    <Section title="Password">
      <p className="text-[13px] text-muted">
        Your account has none. If you want one, ask the person who runs Intray for a link to set it.
      </p>
    </Section>
  );
}

function ChangePassword() {
  const client = useQueryClient();
  const { form, errors, failure, pending, onSubmit } = useForm({
    schema: changePasswordSchema,
    read: (data) => Object.fromEntries(data),
    send: async (values) => {
      await api.post("/api/v1/me/password", values);
      form.current?.reset();
      toast("Password changed, and your other sessions ended");
      await client.invalidateQueries({ queryKey: sessions().queryKey });
    },
  });
  return (
    <Section title="Password" description="Changing it ends your sessions everywhere but here.">
      <form ref={form} onSubmit={onSubmit} noValidate className="flex max-w-sm flex-col gap-4">
        {failure && <Notice live tone="bad" title={failure} />}
        <TextField
          name="current"
          label="Current password"
          type="password"
          autoComplete="current-password"
          error={errors.current}
        />
        <NewPasswordField label="New password" error={errors.password} />
        <div>
          <Button type="submit" disabled={pending} className="max-md:w-full">
            {pending ? "Changing…" : "Change password"}
          </Button>
        </div>
      </form>
    </Section>
  );
}
