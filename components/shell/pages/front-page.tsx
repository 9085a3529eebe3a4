import { Inbox } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Link } from "@/components/ui/link.tsx";

/** The frame of pages before sign-in. */
export function FrontPage({
  title,
  intro,
  children,
}: {
  title: string;
  intro?: string;
  children: ReactNode;
}) {
  return (
    <main className="grid min-h-dvh place-items-center px-4 py-10">
      <div className="flex w-full max-w-sm flex-col gap-6">
        <div className="flex items-center gap-2.5">
          <Inbox aria-hidden className="size-5" strokeWidth={2} />
          <span className="font-semibold text-[15px] tracking-tight">Intray</span>
        </div>
        <div className="flex flex-col gap-1">
          <h1 className="font-semibold text-xl tracking-tight text-balance">{title}</h1>
          {intro && <p className="text-muted">{intro}</p>}
        </div>
        {children}
      </div>
    </main>
  );
}

/** A link that cannot be used: why, and the way on, instead of a form that would be refused. */
export function LinkOver({ title, next }: { title: string; next: string }) {
  return (
    <FrontPage title={title} intro={next}>
      <div className="flex flex-col gap-3 border-line border-t pt-5">
        <p className="text-muted">Already have an account?</p>
        <Button asChild variant="primary">
          <Link href="/sign-in">Sign in</Link>
        </Button>
      </div>
    </FrontPage>
  );
}
