"use client";

import { Copy, FileCheck, Hash, Link2, ListChecks, Printer } from "lucide-react";
import { useMe } from "@/components/shell/session/me.tsx";
import { Link } from "@/components/ui/link.tsx";
import { MenuItem, MenuSeparator } from "@/components/ui/overlay/menu.tsx";
import { copyText } from "@/components/ui/toast/toast.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";

export function RequestMenuItems({ request, link }: { request: InputRequestDetail; link: () => void }) {
  const me = useMe();
  return (
    <>
      <MenuItem onSelect={link}>
        <Link2 aria-hidden strokeWidth={1.75} />
        Copy a link
      </MenuItem>
      <MenuItem onSelect={() => copyText(request.message, "Message copied")}>
        <Copy aria-hidden strokeWidth={1.75} />
        Copy the message
      </MenuItem>
      <MenuItem onSelect={() => copyText(request.id, "Id copied")}>
        <Hash aria-hidden strokeWidth={1.75} />
        <span>
          Copy the id
          <span className="block text-muted text-xs">Give this id when you ask for help.</span>
        </span>
      </MenuItem>
      <MenuSeparator />
      <MenuItem asChild>
        <Link href={`/tasks/${request.taskId}`}>
          <ListChecks aria-hidden strokeWidth={1.75} />
          View task
        </Link>
      </MenuItem>
      {request.state !== "open" && !me.view && (
        <MenuItem asChild>
          <Link href={`/receipts/${request.id}`}>
            <Printer aria-hidden strokeWidth={1.75} />
            <span>
              Print receipt
              <span className="block text-muted text-xs">A page to print or to save as PDF.</span>
            </span>
          </Link>
        </MenuItem>
      )}
      {request.state !== "open" && !me.view && (
        <MenuItem asChild>
          <a href={`/api/v1/input-requests/${request.id}/receipt`} download>
            <FileCheck aria-hidden strokeWidth={1.75} />
            <span>
              Download receipt
              <span className="block text-muted text-xs">Signed: who decided, and what was sent.</span>
            </span>
          </a>
        </MenuItem>
      )}
    </>
  );
}
