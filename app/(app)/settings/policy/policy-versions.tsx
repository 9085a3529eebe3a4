"use client";

import { useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronRight } from "lucide-react";
import { useState } from "react";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Unread } from "@/components/ui/failure.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { ShownPolicy, PolicyVersions as Versions } from "@/lib/policy/policy-schema.ts";
import { policyVersion, policyVersions } from "@/lib/web/client/settings/policy.ts";
import { Section } from "../section.tsx";
import { PolicyChanges } from "./policy-changes.tsx";

/** The latest versions, each with what it changed, and the way back to it. */
export function PolicyVersions({
  inForce,
  onRestore,
}: {
  inForce: number;
  onRestore: (policy: ShownPolicy) => void;
}) {
  const versions = useQuery(policyVersions());
  const [open, setOpen] = useState<number | null>(null);
  const items = versions.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <Section
      title="Versions"
      description="Each version stays as it was. A request keeps the one under which it was asked."
    >
      <ol className="flex flex-col divide-y divide-line text-[13px]">
        {items.map((version) => (
          <VersionRow
            key={version.version}
            version={version}
            isInForce={version.version === inForce}
            isOpen={version.version === open}
            onOpen={(isOpen) => setOpen(isOpen ? version.version : null)}
            onRestore={onRestore}
          />
        ))}
      </ol>
    </Section>
  );
}

function VersionRow({
  version: { version, rules, changedAt, changedBy },
  isInForce,
  isOpen,
  onOpen,
  onRestore,
}: {
  version: Versions["items"][number];
  isInForce: boolean;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  onRestore: (policy: ShownPolicy) => void;
}) {
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <li className="flex flex-col">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => onOpen(!isOpen)}
        className="flex flex-wrap items-center gap-x-3 py-2 text-left max-md:min-h-11"
      >
        <span className="flex items-center gap-1.5 font-medium">
          <Chevron aria-hidden className="size-4 text-muted" strokeWidth={1.75} />
          <span>Version {version}</span>
        </span>
        <span className="min-w-0 flex-1 truncate text-muted">
          {rules.length === 0 ? "No rules" : rules.join(" · ")}
        </span>
        <span className="text-muted">
          {actorWords(changedBy, { begins: true })} <TimeAgo at={changedAt} />
        </span>
      </button>
      {isOpen && <WhatChanged version={version} isInForce={isInForce} onRestore={onRestore} />}
    </li>
  );
}

function WhatChanged({
  version,
  isInForce,
  onRestore,
}: {
  version: number;
  isInForce: boolean;
  onRestore: (policy: ShownPolicy) => void;
}) {
  const read = useQuery(policyVersion(version));
  if (!read.data) return <Unread what="The version" query={read} className="mb-3 h-16" />;
  const { policy, changes } = read.data;
  return (
    <div className="flex flex-col items-start gap-3 pb-3 pl-6">
      <PolicyChanges changes={changes} />
      {!isInForce && (
        <Button size="sm" onClick={() => onRestore(policy)}>
          Restore as a draft
        </Button>
      )}
    </div>
  );
}
