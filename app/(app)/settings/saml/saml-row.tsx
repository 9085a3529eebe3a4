"use client";

import { useMutation } from "@tanstack/react-query";
import { Copy, Ellipsis, ShieldAlert, ShieldCheck } from "lucide-react";
import { useState } from "react";
import { tellError, useChange } from "@/components/form/change.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { Day, TimeAgo } from "@/components/time/time.tsx";
import { useNow } from "@/components/time/use-now.ts";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/overlay/menu.tsx";
import { copyText, toast } from "@/components/ui/toast/toast.ts";
import type { SamlProvider } from "@/lib/people/saml/saml-schema.ts";
import { samlFault } from "@/lib/people/saml/saml-words.ts";
import { samlApi, samlKeys } from "@/lib/web/client/identity.ts";

const DIALOGS = {
  edit: lazyComponent(() => import("./saml-dialogs.tsx").then((file) => file.EditDialog)),
  remove: lazyComponent(() => import("./saml-dialogs.tsx").then((file) => file.RemoveDialog)),
};

/** Owners are warned this long before the last certificate expires. */
const WARNED_MS = 30 * 24 * 3600_000;

export function SamlRow({ provider }: { provider: SamlProvider }) {
  const { id, name, entityId, own, startUrl, test } = provider;
  const me = useMe();
  const [asking, setAsking] = useState<keyof typeof DIALOGS | null>(null);
  const Asked = asking && DIALOGS[asking];
  const tried = useTestSignIn(id);
  return (
    <li className="flex flex-col gap-3 py-4 first:pt-0 last:pb-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <span className="flex min-w-0 flex-1 flex-col gap-1 max-md:basis-full">
          <span className="flex min-w-0 flex-wrap items-center gap-2">
            <span className="min-w-0 truncate font-medium">{name}</span>
            <CertificateBadge provider={provider} />
          </span>
          <span className="break-all text-[13px] text-muted">{entityId}</span>
          {test && (
            <span className="text-[13px] text-muted">
              Tested <TimeAgo at={test.at} />:{" "}
              {test.failure ? samlFault(test.failure) : <Report test={test} />}
            </span>
          )}
        </span>
        {me.may("saml:manage") && (
          <span className="flex gap-2 max-md:w-full max-md:*:flex-1">
            <Button
              aria-label={`Test the sign-in with ${name} in a new window`}
              disabled={tried.isPending}
              onClick={() => tried.mutate()}
            >
              {tried.isPending ? "Opening…" : "Test in a new window"}
            </Button>
            <Menu
              trigger={
                <Button size="icon" variant="ghost" className="h-9 w-9" aria-label={`More for ${name}`}>
                  <Ellipsis aria-hidden strokeWidth={1.75} />
                </Button>
              }
            >
              <MenuItem onSelect={() => setAsking("edit")}>Edit…</MenuItem>
              <MenuSeparator />
              <MenuItem onSelect={() => setAsking("remove")}>Remove…</MenuItem>
            </Menu>
          </span>
        )}
      </div>
      <dl className="grid gap-x-4 gap-y-2 text-[13px] md:grid-cols-[10rem_1fr]">
        <Value label="Entity id (audience)" value={own.entityId} />
        <Value label="ACS URL (reply URL)" value={own.acsUrl} />
        <Value label="Link to sign in" value={startUrl} />
        <Value
          label="Sign-in page"
          value={`${new URL(startUrl).origin}/sign-in?organization=${me.organization.slug}`}
        />
      </dl>
      {provider.heldBy.length > 0 && <Held provider={provider} />}
      {Asked && <Asked provider={provider} onClose={() => setAsking(null)} />}
    </li>
  );
}

/** Opens the identity provider in a new window. The list is read again once its person comes back to this one. */
function useTestSignIn(id: string) {
  return useMutation({
    mutationFn: () => samlApi.test(id),
    onSuccess: ({ url }) => {
      if (window.open(url, "_blank", "noopener=false") === null)
        toast.error("The browser does not let this page open a window.");
    },
    onError: tellError,
  });
}

/** Whoever set the provider up can sign in through it as anybody whom it means, until somebody else has looked at it. */
function Held({ provider: { id, name, heldBy, mayConfirm } }: { provider: SamlProvider }) {
  const confirm = useChange([samlKeys.all], () => samlApi.confirm(id), {
    done: `${name} is confirmed.`,
    onError: tellError,
  });
  const names = heldBy.map((holder) => holder.name).join(" and ");
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-[13px]">
      <p className="min-w-0 flex-1 text-muted max-md:basis-full">
        Set up or changed by {names}. Where a second person is required, everybody who signs in through it
        counts as one person with {names}. This ends once another owner confirms its certificates, address and
        rules.
      </p>
      {mayConfirm && (
        <Button
          aria-label={`Confirm ${name} as it is`}
          disabled={confirm.isPending}
          onClick={() => confirm.mutate()}
        >
          {confirm.isPending ? "Confirming…" : "Confirm"}
        </Button>
      )}
    </div>
  );
}

function Value({ label, value }: { label: string; value: string }) {
  return (
    <>
      <dt className="text-muted">{label}</dt>
      <dd className="flex min-w-0 items-center gap-2">
        <code className="min-w-0 flex-1 break-all">{value}</code>
        <Button
          size="icon"
          variant="ghost"
          aria-label={`Copy: ${label}`}
          onClick={() => copyText(value, "Copied")}
        >
          <Copy aria-hidden strokeWidth={1.75} />
        </Button>
      </dd>
    </>
  );
}

/** The certificate that lasts longest decides: a provider changes over by having two. */
function CertificateBadge({ provider: { certificates } }: { provider: SamlProvider }) {
  const now = useNow(60_000);
  const last =
    certificates
      .map(({ expiresAt }) => expiresAt)
      .sort()
      .at(-1) ?? "";
  const left = Date.parse(last) - now;
  if (left > WARNED_MS)
    return (
      <Badge tone="good" icon={ShieldCheck}>
        On
      </Badge>
    );
  return (
    <Badge tone={left > 0 ? "wait" : "bad"} icon={ShieldAlert}>
      {left > 0 ? "Certificate expires" : "Certificate expired"} <Day at={last} />
    </Badge>
  );
}

function Report({ test }: { test: NonNullable<SamlProvider["test"]> }) {
  const { report } = test;
  if (!report) return null;
  const { email, name, groups, role } = report;
  return (
    <>
      it works. {name ?? "No name"}, {email ?? "no address"},{" "}
      {groups.length > 0 ? `groups ${groups.join(", ")}` : "no groups"};{" "}
      {role ? `becomes ${role}` : "does not become a member by the rules"}.
    </>
  );
}
