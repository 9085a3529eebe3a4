"use client";

import { Users } from "lucide-react";
import { Empty } from "@/components/ui/empty.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Select } from "@/components/ui/select.tsx";
import { errorSentence } from "@/lib/api-client/base/client.ts";
import { directoryApi } from "@/lib/api-client/identity/directory.ts";
import { type DirectoryGroup, MAPPED_ROLES } from "@/lib/directory/schema.ts";
import { plural } from "@/lib/text/labels.ts";
import { Section } from "../section.tsx";
import { useDirectoryAction } from "./use-directory-action.ts";

/** The directory's groups, and the role that each gives. */
export function GroupsSection({ groups, hasToken }: { groups: DirectoryGroup[]; hasToken: boolean }) {
  return (
    <Section
      title="Groups"
      description="A group can give a role to everybody in it. Of several the strongest counts; who is in none any more gets the role of new people."
    >
      {groups.length === 0 ? (
        <Empty icon={Users} title="No groups yet">
          {hasToken
            ? "Groups that your identity provider pushes appear here."
            : "Make a token first. Groups that your identity provider pushes appear here."}
        </Empty>
      ) : (
        <ul aria-label="Groups" className="flex flex-col divide-y divide-line">
          {groups.map((group) => (
            <GroupRow key={group.id} group={group} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function GroupRow({ group: { id, name, members, role } }: { group: DirectoryGroup }) {
  const map = useDirectoryAction(directoryApi.mapGroup, `The role of ${name} was saved`);
  const shown = map.isPending ? map.variables.role : role;
  return (
    <li className="flex flex-col gap-2 py-3 first:pt-0 last:pb-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <span className="flex min-w-0 flex-1 flex-col gap-0.5 max-md:basis-full">
          <span className="min-w-0 break-words font-medium">{name}</span>
          <span className="text-[13px] text-muted">{plural(members, "person", "people")}</span>
        </span>
        <Select
          aria-label={`Role of ${name}`}
          className="w-44 max-md:w-full"
          value={shown ?? ""}
          disabled={map.isPending}
          onChange={(event) =>
            map.mutate({ id, role: MAPPED_ROLES.find((each) => each === event.target.value) ?? null })
          }
        >
          <option value="">No role</option>
          {MAPPED_ROLES.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </Select>
      </div>
      {map.error && <Notice live tone="bad" title={errorSentence(map.error)} />}
    </li>
  );
}
