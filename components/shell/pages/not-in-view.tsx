"use client";

import { EyeOff } from "lucide-react";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { Link } from "@/components/ui/link.tsx";

/** In place of a page that is not shown while an admin looks as a member: its calls would all be refused. */
export function NotInView() {
  const { user } = useMe();
  return (
    <div className="m-auto">
      <Empty
        icon={EyeOff}
        title="Not shown in a view"
        heading="h1"
        action={
          <Button asChild>
            <Link href="/inbox">Go to the inbox</Link>
          </Button>
        }
      >
        Viewing as {user.name} shows requests and tasks alone.
      </Empty>
    </div>
  );
}
