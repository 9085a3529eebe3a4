"use client";

import { useEffect, useState } from "react";
import { Notice } from "@/components/ui/notice.tsx";
import { refusalWords } from "@/lib/servers/connections/oauth-words.ts";

export interface ArrivalQuery {
  connected?: string | string[];
  refused?: string | string[];
}

/** Shows the result of a sign-in at the server's page once: the result is removed from the URL at once. */
export function ArrivalNotice({ arrival }: { arrival: ArrivalQuery }) {
  const [shown] = useState(arrival);
  useEffect(() => {
    if (shown.connected === undefined && shown.refused === undefined) return;
    window.history.replaceState(window.history.state, "", window.location.pathname);
  }, [shown]);
  if (shown.refused !== undefined) {
    const { title, advice } = refusalWords(shown.refused);
    return (
      <Notice live tone="bad" title={`${title}.`}>
        <p>{advice}</p>
      </Notice>
    );
  }
  if (shown.connected === undefined) return null;
  return <Notice live tone="good" title="Connected. Tasks that waited for it go on by themselves." />;
}
