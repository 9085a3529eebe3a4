"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { startWorker } from "./service-worker.ts";

/** Starts the service worker for the signed-in member. Shows nothing. */
export function Worker() {
  const { user, organization } = useMe();
  const router = useRouter();
  const here = `${user.id}:${organization.id}`;
  useEffect(() => {
    const [userId = "", organizationId = ""] = here.split(":");
    return startWorker({ userId, organizationId }, (path) => router.push(path));
  }, [here, router]);
  return null;
}
