import { ExternalLink } from "lucide-react";
import { useId } from "react";
import { PlainText } from "@/components/text/plain-text.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Link } from "@/components/ui/link.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { ReplayDisagreement } from "@/lib/requests/replay/replay-schema.ts";

export type Disagreement = Pick<ReplayDisagreement, "rule" | "request" | "people" | "automatic"> & {
  /** Of the policy that asked it; of a draft there is none. */
  version?: number;
};

/** Requests on which a rule and people differ. Each opens in a new tab, so that what is on the page stays. */
export function Disagreements({
  title,
  items,
  note,
}: {
  title: string;
  items: Disagreement[];
  note?: string | undefined;
}) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1.5">
      <h3 id={id} className="font-medium text-[13px]">
        {title}
      </h3>
      <ul aria-labelledby={id} className="flex max-h-96 flex-col divide-y divide-line overflow-y-auto">
        {items.map(({ rule, version, request, people, automatic }) => (
          <li key={request.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2 text-[13px]">
            <span className="min-w-48 flex-1">
              <RequestLink request={request} />
              <span className="block text-muted">
                Rule “<PlainText text={rule} />”{version !== undefined && `, version ${version}`} · asked{" "}
                <TimeAgo at={request.askedAt} />
              </span>
            </span>
            <span className="flex flex-col items-end max-md:items-start">
              <span>
                {people.words} by <PlainText text={actorWords(people.by)} />
              </span>
              <span className="text-muted">
                The rule: <PlainText text={automatic.words} />
              </span>
            </span>
          </li>
        ))}
      </ul>
      {note && <p className="text-muted text-xs">{note}</p>}
    </div>
  );
}

export function RequestLink({
  request: { id, label, message },
}: {
  request: Pick<ReplayDisagreement["request"], "id" | "label" | "message">;
}) {
  return (
    <Link href={`/inbox/${id}`} target="_blank" className="font-medium underline-offset-4 hover:underline">
      <PlainText text={label ?? message} />
      <ExternalLink aria-hidden className="ml-1 inline size-3.5 text-muted" strokeWidth={1.75} />
      <span className="sr-only"> (opens in a new tab)</span>
    </Link>
  );
}
