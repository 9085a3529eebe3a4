"use client";

import { Link2, MoreHorizontal } from "lucide-react";
import { Button } from "@/components/ui/button.tsx";
import { copyText } from "@/components/ui/copy-text.ts";
import { Menu } from "@/components/ui/overlay/menu.tsx";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import { RequestMenuItems } from "../inbox-parts.ts";

/** What can be done with a request besides answering it. */
export function RequestMenu({ request }: { request: InputRequestDetail }) {
  const link = () => copyText(`${location.origin}/inbox/${request.id}`, "Link copied");
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
        items={RequestMenuItems}
        trigger={
          <Button variant="ghost" size="icon" aria-label="More about this request">
            <MoreHorizontal aria-hidden strokeWidth={1.75} />
          </Button>
        }
      >
        <RequestMenuItems request={request} link={link} />
      </Menu>
    </span>
  );
}
