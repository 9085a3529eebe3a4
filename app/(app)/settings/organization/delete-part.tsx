"use client";

import { Download } from "lucide-react";
import { useState } from "react";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import type { Organization } from "@/lib/organizations/schema.ts";
import { Section } from "../section.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";

/** Exports all data, then deletes the organization. */
export function DeletePart({ saved }: { saved: Organization }) {
  const [asking, setAsking] = useState(false);
  return (
    <Section
      title="Export and delete"
      description="Deleting takes every task, request, answer, member, key and line of history away for good. First export everything (within the last hour) and end all running tasks."
    >
      <div className="flex flex-wrap items-center gap-2">
        <Button asChild>
          <a href="/api/v1/organization/export" download>
            <Download aria-hidden strokeWidth={1.75} />
            Export everything
          </a>
        </Button>
        <Button variant="danger" onClick={() => setAsking(true)}>
          Delete {saved.name}…
        </Button>
      </div>
      <p className="text-[13px] text-muted">
        {saved.exportedAt ? (
          <>
            Last exported <TimeAgo at={saved.exportedAt} />.
          </>
        ) : (
          "Never exported."
        )}{" "}
        An export holds no secrets: no keys, tokens or passwords.
      </p>
      <DeleteDialog saved={saved} open={asking} onOpenChange={setAsking} />
    </Section>
  );
}
