import { FrontPage } from "@/components/shell/pages/front-page.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Link } from "@/components/ui/link.tsx";

/** A link that cannot be used: why, and the way on, instead of a form that would be refused. */
export function LinkOver({ title, next }: { title: string; next: string }) {
  return (
    <FrontPage title={title} intro={next}>
      <div className="flex flex-col gap-3 border-line border-t pt-5">
        <p className="text-muted">You already have an account?</p>
        <Button asChild variant="primary">
          <Link href="/sign-in">Sign in</Link>
        </Button>
      </div>
    </FrontPage>
  );
}
