"use client";

import { useQuery } from "@tanstack/react-query";
import { useMe } from "@/components/shell/session/me.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { organization } from "@/lib/api-client/organization.ts";
import { DeletePart } from "./delete-part.tsx";
import { FourEyes } from "./four-eyes.tsx";
import { KeysWithoutEnd } from "./keys-without-end.tsx";
import { LeavePart } from "./leave-part.tsx";
import { NameForm } from "./name-form.tsx";

const Addresses = lazyComponent(() => import("./addresses.tsx").then((file) => file.Addresses), {
  loading: () => <div aria-hidden className="skeleton h-40" />,
});

const ContentSealing = lazyComponent(
  () => import("./content-sealing.tsx").then((file) => file.ContentSealing),
  { loading: () => <div aria-hidden className="skeleton h-32" /> },
);

/** The organization's name, its rules, and how to leave or delete it. */
export function OrganizationScreen() {
  const me = useMe();
  const { data, isError, error, refetch } = useQuery(organization());
  if (!data && isError)
    return <LoadFailure what="The organization" error={error} onRetry={() => void refetch()} />;
  if (!data)
    return (
      <div aria-hidden className="flex flex-col gap-6">
        <div className="skeleton h-40" />
        <div className="skeleton h-24" />
      </div>
    );
  return (
    <>
      <NameForm saved={data} />
      <FourEyes saved={data} />
      {me.may("owners:manage") && <KeysWithoutEnd saved={data} />}
      {me.may("settings:manage") && <Addresses />}
      {me.may("settings:manage") && <ContentSealing />}
      <LeavePart />
      {me.may("organization:delete") && <DeletePart saved={data} />}
    </>
  );
}
