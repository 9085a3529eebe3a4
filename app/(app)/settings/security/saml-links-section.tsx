"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { SamlLink } from "@/lib/people/saml/saml-schema.ts";
import { samlFault } from "@/lib/people/saml/saml-words.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { samlKeys, samlLinkList } from "@/lib/web/client/identity.ts";
import { Section } from "../section.tsx";

/** The organization's own providers, to which a member links the account. Nothing where there are none. */
export function SamlLinksSection() {
  const links = useQuery(samlLinkList());
  const came = useSearchParams().get("saml");
  const items = links.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <Section
      title="Sign-in of your organization"
      description="Link your account to sign in through it. Such a session reaches only this organization, and not the settings of your account."
    >
      {came && (
        <Notice
          live
          tone={came === "linked" ? "good" : "bad"}
          title={samlFault(came === "linked" ? "saml_linked" : came)}
        />
      )}
      <ul aria-label="Sign-in of your organization" className="flex flex-col divide-y divide-line">
        {items.map((link) => (
          <LinkRow key={link.id} link={link} />
        ))}
      </ul>
    </Section>
  );
}

function LinkRow({ link: { id, name, linked } }: { link: SamlLink }) {
  const client = useQueryClient();
  const turn = useMutation({
    mutationFn: async () => {
      if (linked) await api.delete(`/api/v1/me/saml-links/${id}`);
      else {
        const { url } = await api.post<{ url: string }>("/api/v1/me/saml-links", { samlProviderId: id });
        window.location.assign(url);
      }
    },
    onSuccess: () => {
      if (linked) toast("No longer linked");
      return client.invalidateQueries({ queryKey: samlKeys.all });
    },
    onError: (error) => toast.error(errorSentence(error)),
  });
  return (
    <li className="flex flex-wrap items-center gap-3 py-2 first:pt-0 last:pb-0">
      <span className="min-w-0 flex-1 truncate font-medium">{name}</span>
      <span className="text-[13px] text-muted">{linked ? "Linked" : "Not linked"}</span>
      <Button
        aria-label={linked ? `Unlink ${name}` : `Link your account to ${name}`}
        disabled={turn.isPending}
        onClick={() => turn.mutate()}
      >
        {turn.isPending ? "Working…" : linked ? "Unlink" : "Link"}
      </Button>
    </li>
  );
}
