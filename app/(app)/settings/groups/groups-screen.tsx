"use client";

import { useQuery } from "@tanstack/react-query";
import { Users } from "lucide-react";
import { useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { Unread } from "@/components/ui/failure.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { Group } from "@/lib/policy/groups/group-schema.ts";
import { organization } from "@/lib/web/client/organization.ts";
import { groups } from "@/lib/web/client/settings/policy.ts";
import { PolicyProposals } from "../policy/policy-proposals.tsx";
import { Section } from "../section.tsx";
import { GroupRow } from "./group-row.tsx";

const GroupDialog = lazyComponent(() => import("./group-dialog.tsx").then((file) => file.GroupDialog));
const DeleteDialog = lazyComponent(() => import("./group-dialog.tsx").then((file) => file.DeleteDialog));

/** What is asked about: a group, or a new one. */
type Asked = { what: "edit" | "delete"; group: Group } | { what: "add" };

/** The groups that the policy can name. */
export function GroupsScreen() {
  const me = useMe();
  const mayChange = me.may("settings:manage");
  const found = useQuery({ ...groups(), enabled: mayChange });
  const settings = useQuery({ ...organization(), enabled: mayChange });
  const [asked, setAsked] = useState<Asked | null>(null);
  if (!mayChange) return <Notice title="Only admins see and change groups.">Ask one of them.</Notice>;
  if (!found.data) return <Unread what="The groups" query={found} className="h-64" />;
  const isProposed = settings.data?.twoPersonPolicy === true;
  const close = () => setAsked(null);
  const { items } = found.data;
  return (
    <>
      <PolicyProposals of="groups" />
      <Section
        title="Groups"
        description="Stages of the policy can name a group. Its people can vote from the moment they are added until they are removed."
        action={<Button onClick={() => setAsked({ what: "add" })}>Add group</Button>}
      >
        {items.length === 0 ? (
          <Empty icon={Users} title="No groups yet">
            Groups that your identity provider pushes (SCIM) appear here too.
          </Empty>
        ) : (
          <ul aria-label="Groups" className="flex flex-col divide-y divide-line">
            {items.map((group) => (
              <GroupRow key={group.id} group={group} onAsk={(what) => setAsked({ what, group })} />
            ))}
          </ul>
        )}
      </Section>
      {asked?.what === "delete" && (
        <DeleteDialog group={asked.group} isProposed={isProposed} onClose={close} />
      )}
      {asked && asked.what !== "delete" && (
        <GroupDialog
          group={asked.what === "edit" ? asked.group : null}
          isProposed={isProposed}
          onClose={close}
        />
      )}
    </>
  );
}
