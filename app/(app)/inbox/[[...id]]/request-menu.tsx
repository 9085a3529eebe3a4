"use client";

import { Copy, Hash, Link2, ListChecks, MoreHorizontal } from "lucide-react";
import Link from "next/link";
import { Button } from "@/components/ui/button.tsx";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/menu.tsx";
import { toast } from "@/components/ui/toast.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";

/** What can be done with a request besides answering it. */
export function RequestMenu({ request }: { request: InputRequestDetail }) {
  const link = () => copy(`${location.origin}/inbox/${request.id}`, "Link copied");
  return (
    <span className="-my-2 -mr-2 ml-auto flex max-md:-mr-3.5">
      <Button
        variant="ghost"
        size="icon"
        className="max-md:hidden"
        aria-label="Copy a link to this request"
        title="Copy a link to this request"
        onClick={link}
      >
        <Link2 aria-hidden strokeWidth={1.75} />
      </Button>
      <Menu
        trigger={
          <Button variant="ghost" size="icon" aria-label="More about this request">
            <MoreHorizontal aria-hidden strokeWidth={1.75} />
          </Button>
        }
      >
        <MenuItem onSelect={link}>
          <Link2 aria-hidden strokeWidth={1.75} />
          Copy a link
        </MenuItem>
        <MenuItem onSelect={() => copy(request.message, "Message copied")}>
          <Copy aria-hidden strokeWidth={1.75} />
          Copy the message
        </MenuItem>
        <MenuItem onSelect={() => copy(request.id, "Id copied")}>
          <Hash aria-hidden strokeWidth={1.75} />
          <span>
            Copy the id
            <span className="block text-muted text-xs">To quote when asking for help.</span>
          </span>
        </MenuItem>
        <MenuSeparator />
        <MenuItem asChild>
          <Link href={`/tasks/${request.taskId}`}>
            <ListChecks aria-hidden strokeWidth={1.75} />
            Open the task
          </Link>
        </MenuItem>
      </Menu>
    </span>
  );
}

function copy(text: string, done: string): void {
  // There is no clipboard on pages without https.
  const copied = navigator.clipboard?.writeText(text) ?? Promise.reject();
  void copied.then(
    () => toast(done),
    () => toast.error("The browser does not let this page copy."),
  );
}
