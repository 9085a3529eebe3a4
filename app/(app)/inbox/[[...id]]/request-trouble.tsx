"use client";

import { ConnectionTrouble } from "@/components/server/connection-trouble.tsx";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";

/** Why an answer does not go out now. */
export function RequestTrouble({ request }: { request: InputRequestDetail }) {
  const { server, connectionOwner, connectionState } = request;
  return <ConnectionTrouble server={server} owner={connectionOwner} state={connectionState} />;
}
