"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useForm } from "@/components/form/use-form.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Field, Textarea } from "@/components/ui/field.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import {
  type Addresses as Saved,
  saveAddressesSchema,
} from "@/lib/people/organizations/organization-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { showSaved } from "@/lib/web/client/base/query-client.ts";
import { organizationAddresses, organizationKeys } from "@/lib/web/client/organization.ts";
import { Section } from "../section.tsx";

/** The networks from which the organization is reached: admins read them, owners set them. */
export function Addresses() {
  const me = useMe();
  const { data, error, isError, refetch } = useQuery(organizationAddresses());
  const mayChange = me.may("addresses:manage");
  return (
    <Section
      title="Networks"
      description="People and API keys reach the organization from these networks only. From anywhere else they are refused at once, and it is noted in the history."
    >
      {!data && isError && <LoadFailure what="The networks" error={error} onRetry={() => void refetch()} />}
      {!data && !isError && <div aria-hidden className="skeleton h-24" />}
      {data && mayChange && <AddressesForm key={data.version} saved={data} />}
      {data && !mayChange && <Listed networks={data.networks} />}
    </Section>
  );
}

function Listed({ networks }: { networks: string[] }) {
  return (
    <>
      {networks.length === 0 ? (
        <p className="text-muted">Any network.</p>
      ) : (
        <ul aria-label="Networks" className="flex flex-col gap-1 break-words font-mono text-[13px]">
          {networks.map((network) => (
            <li key={network}>{network}</li>
          ))}
        </ul>
      )}
      <p className="text-[13px] text-muted">Owners change them.</p>
    </>
  );
}

function AddressesForm({ saved }: { saved: Saved }) {
  const client = useQueryClient();
  const { networks, version, seen } = saved;
  const field = useRef<HTMLTextAreaElement>(null);
  const [leftOut, setLeftOut] = useState(false);
  const { form, errors, failure, pending, onSubmit } = useForm({
    schema: saveAddressesSchema,
    sentences: {
      own_address_outside: `Your own address, ${seen.address}, is not in this list: you would be locked out. Nothing was saved.`,
      addresses_changed: "Somebody else has changed the networks meanwhile. Load the page again to see them.",
    },
    read: (data) => ({ networks: readLines(data), version }),
    send: async (values) => {
      setLeftOut(false);
      try {
        const next = await api.put<Saved>("/api/v1/organization/addresses", values);
        await showSaved(client, organizationKeys.addresses, next);
        toast(next.networks.length > 0 ? "Saved the networks" : "Reached from any network now");
      } catch (error) {
        setLeftOut((error as { code?: string }).code === "own_address_outside");
        throw error;
      }
    },
  });
  const add = () => {
    const { current } = field;
    if (!current || !seen.network) return;
    current.value = [current.value.trim(), seen.network].filter(Boolean).join("\n");
    setLeftOut(false);
    current.focus();
  };
  const error = Object.entries(errors).find(([name]) => name.startsWith("networks"))?.[1];
  return (
    <form ref={form} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      {failure && <Notice live tone="bad" title={failure} />}
      {seen.isPrivate && (
        <Notice tone="wait" title={`Intray sees you at ${seen.address}. This is not a public address.`}>
          If you are not in the same network as Intray, Intray sees a proxy’s address for everybody. Ask the
          person who runs Intray to check INTRAY_TRUSTED_PROXIES before you list networks.
        </Notice>
      )}
      <Field
        id="organization-networks"
        label="Reached from"
        hint={`Networks or addresses, one a line, such as 203.0.113.0/24. Empty: from anywhere. Your address is ${seen.address}.`}
        error={error}
      >
        {(control) => (
          <Textarea
            {...control}
            ref={field}
            name="networks"
            rows={3}
            autoComplete="off"
            spellCheck={false}
            className="font-mono text-[13px]"
            defaultValue={networks.join("\n")}
          />
        )}
      </Field>
      <span className="flex flex-wrap gap-2">
        <Button type="submit" variant={leftOut ? "outline" : "primary"} disabled={pending}>
          {pending ? "Saving…" : "Save networks"}
        </Button>
        {seen.network && (
          <Button variant={leftOut ? "primary" : "outline"} disabled={pending} onClick={add}>
            Add mine, {seen.network}
          </Button>
        )}
      </span>
    </form>
  );
}

function readLines(data: FormData): string[] {
  return String(data.get("networks") ?? "")
    .split(/[\s,]+/)
    .filter(Boolean);
}
