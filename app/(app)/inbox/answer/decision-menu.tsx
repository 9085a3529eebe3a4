"use client";

import { MoreHorizontal } from "lucide-react";
import { Button } from "@/components/ui/button.tsx";
import { Menu } from "@/components/ui/overlay/menu.tsx";
import { DecisionMenuItems } from "../inbox-parts.ts";
import type { DecisionMenuProps } from "./decision-menu-items.tsx";

/** What is done to a request beside deciding it: whose it is, and the answer that few servers need. */
export function DecisionMenu(props: DecisionMenuProps) {
  return (
    <Menu
      side="top"
      items={DecisionMenuItems}
      trigger={
        <Button size="icon" aria-label="More" className="max-md:ml-auto">
          <MoreHorizontal aria-hidden strokeWidth={1.75} />
        </Button>
      }
    >
      <DecisionMenuItems {...props} />
    </Menu>
  );
}
