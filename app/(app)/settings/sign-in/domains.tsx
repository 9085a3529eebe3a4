"use client";

import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { useChange } from "@/components/form/change.ts";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Field, Input } from "@/components/ui/field.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { copyText } from "@/components/ui/toast/toast.ts";
import type { OrganizationDomain } from "@/lib/people/organizations/domains/domain-reads.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { organizationDomains } from "@/lib/web/client/identity.ts";
import { Section } from "../section.tsx";

const PATH = "/api/v1/organization/domains";
const SHOWN = [organizationDomains().queryKey];

/** The organization's domains: each is proved by a DNS record. */
export function Domains({ domains }: { domains: OrganizationDomain[] }) {
  const [domain, setDomain] = useState("");
  const add = useChange(SHOWN, () => api.post<OrganizationDomain>(PATH, { domain }), {
    onDone: () => setDomain(""),
  });
  return (
    <Section
      title="Domains"
      description="Where single sign-on is required, people with an address of a verified domain are sent from the sign-in page to the provider."
    >
      {domains.length > 0 && (
        <ul aria-label="Domains" className="flex flex-col divide-y divide-line">
          {domains.map((each) => (
            <DomainRow key={each.id} domain={each} />
          ))}
        </ul>
      )}
      <form
        noValidate
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate();
        }}
      >
        <div className="min-w-56 flex-1">
          <Field
            id="domain"
            label="Add a domain"
            required
            error={add.error ? errorSentence(add.error) : undefined}
          >
            {(control) => (
              <Input
                {...control}
                value={domain}
                placeholder="acme.example"
                autoCapitalize="none"
                spellCheck={false}
                maxLength={253}
                onChange={(event) => setDomain(event.target.value)}
              />
            )}
          </Field>
        </div>
        <Button type="submit" disabled={add.isPending || domain.trim() === ""}>
          Add
        </Button>
      </form>
    </Section>
  );
}

function DomainRow({ domain: { id, domain, record, verifiedAt } }: { domain: OrganizationDomain }) {
  const verify = useChange(SHOWN, () => api.post<OrganizationDomain>(`${PATH}/${id}/verify`), {
    done: `${domain} is verified`,
  });
  const remove = useChange(SHOWN, () => api.delete<void>(`${PATH}/${id}`), { done: `${domain} was removed` });
  const pending = verify.isPending || remove.isPending;
  const error = verify.error ?? remove.error;
  return (
    <li className="flex flex-col gap-3 py-3 first:pt-0 last:pb-0">
      <div className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 flex-1 break-all font-medium">{domain}</span>
        {verifiedAt ? (
          <Badge tone="good" icon={Check}>
            Verified
          </Badge>
        ) : (
          <Button disabled={pending} onClick={() => verify.mutate()}>
            {verify.isPending ? "Looking…" : "Verify"}
          </Button>
        )}
        <Button variant="ghost" disabled={pending} onClick={() => remove.mutate()}>
          Remove
        </Button>
      </div>
      {!verifiedAt && (
        <div className="flex flex-wrap items-center gap-2 text-[13px]">
          <span className="text-muted">Set this TXT record for {domain}, then verify:</span>
          <code className="select-all break-all font-mono">{record}</code>
          <Button variant="ghost" onClick={() => copyText(record, "Record copied")}>
            <Copy aria-hidden strokeWidth={1.75} />
            Copy
          </Button>
        </div>
      )}
      {error && <Notice live tone="bad" title={errorSentence(error)} />}
    </li>
  );
}
