"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { security, sessions } from "@/lib/api-client/account.ts";
import { EndOthersOffer } from "./end-others-offer.tsx";
import { IdentitiesSection } from "./identities-section.tsx";
import { PasskeysSection } from "./passkeys-section.tsx";
import { PasswordSection } from "./password-section.tsx";
import { RecentActivity } from "./recent-activity.tsx";
import { SecondFactorSection } from "./second-factor-section.tsx";
import { SessionsSection } from "./sessions-section.tsx";

/** The user's ways to sign in, and their sessions. */
export function SecurityScreen() {
  const ways = useQuery(security());
  const places = useQuery(sessions());
  const [changed, setChanged] = useState<string | null>(null);
  const failed = [ways, places].find((query) => query.isError && !query.data);
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
      <SessionsSection sessions={places.data.items} />
      <RecentActivity />
    </>
  );
}
