import { MapPinOff } from "lucide-react";
import Link from "next/link";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";

export function NotFoundView() {
  return (
    <div className="grid flex-1 place-items-center">
      <Empty
        heading="h1"
        icon={MapPinOff}
        title="There is nothing here"
        action={
          <Button asChild variant="primary">
            <Link href="/">Go to Intray</Link>
          </Button>
        }
      >
        The address may be mistyped, or it belongs to an organization that you are not in.
      </Empty>
    </div>
  );
}
