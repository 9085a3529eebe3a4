"use client";

import { useQuery } from "@tanstack/react-query";
import { useMe } from "@/components/shell/session/me.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { directoryGroupList, directoryState } from "@/lib/api-client/identity/directory.ts";
import { ActivitySection } from "./activity-section.tsx";
import { GroupsSection } from "./groups-section.tsx";
import { PeopleSection } from "./people-section.tsx";
import { TokenSection } from "./token-section.tsx";

/** The identity provider's directory: its token, what its people and groups are worth, and what it did lately. */
export function DirectoryScreen() {
  const me = useMe();
  const mayManage = me.may("directory:manage");
  const directory = useQuery({ ...directoryState(), enabled: mayManage });
  const groups = useQuery({ ...directoryGroupList(), enabled: mayManage });
  if (!mayManage) return <Notice title="Only owners manage the directory.">Ask one of them.</Notice>;
  const failed = [directory, groups].find(({ error, data }) => error && !data);
  if (failed?.error)
    return <LoadFailure what="The directory" error={failed.error} onRetry={() => void failed.refetch()} />;
  if (!directory.data || !groups.data)
    return (
      <>
        <div aria-hidden className="skeleton h-44" />
        <div aria-hidden className="skeleton h-44" />
      </>
    );
  return (
    <>
      <TokenSection directory={directory.data} />
      <PeopleSection directory={directory.data} />
      <GroupsSection groups={groups.data.items} hasToken={directory.data.token !== null} />
      <ActivitySection directory={directory.data} />
    </>
  );
}
