import { PlainText } from "@/components/text/plain-text.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import { BEFORE, type Before } from "@/lib/agents/agent-schema.ts";
import type { TriedCalls, Verdict } from "@/lib/policy/call-rules/call-rule-schema.ts";
import { warningWords } from "@/lib/policy/call-rules/call-rule-words.ts";
import { plural } from "@/lib/text/labels.ts";
import { BeforeBadge } from "./rule-row.tsx";

const COUNTED: Record<Before, string> = {
  allow: "would be allowed",
  ask: "would require approval",
  deny: "would be denied",
};

/** What the rules on screen would have meant for the latest calls, each as if it were made again now, without what agents were granted. */
export function TriedCallsList({ tried: { calls, warnings } }: { tried: TriedCalls }) {
  return (
    <div className="flex flex-col gap-3">
      {warnings.length > 0 && (
        <Notice
          live
          tone="wait"
          title="Some rules name servers, tools or people that do not exist. You can still save them."
        >
          <ul className="flex flex-col gap-1">
            {warningWords(warnings).map((words) => (
              <li key={words}>
                <PlainText text={words} />
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {calls.length === 0 ? (
        <Notice live title="There are no calls to try the rules on yet. Start a task, then try again." />
      ) : (
        <Verdicts calls={calls} />
      )}
    </div>
  );
}

function Verdicts({ calls }: Pick<TriedCalls, "calls">) {
  const counts = BEFORE.map((before) => ({
    before,
    count: calls.filter(({ verdict }) => verdict.before === before).length,
  })).filter(({ count }) => count > 0);
  const failed = calls.filter(({ verdict }) => verdict.why === "rule_failed").length;
  return (
    <>
      <Notice
        live
        tone={failed > 0 ? "wait" : "neutral"}
        title={`Of ${plural(calls.length, "latest call")}, ${counts
          .map(({ before, count }) => `${count} ${COUNTED[before]}`)
          .join(", ")}`}
      >
        {failed > 0 && (
          <p>A rule can’t be applied to {plural(failed, "call")}: such a call requires approval.</p>
        )}
        <p>
          Only the rules are tried. Where none of them matches an agent’s call, what the agent was granted
          decides.
        </p>
      </Notice>
      <ul aria-label="Tried calls" className="flex max-h-96 flex-col divide-y divide-line overflow-y-auto">
        {calls.map(({ taskId, serverName, tool, label, createdAt, requestedBy, verdict }) => (
          <li key={taskId} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2 text-[13px]">
            <span className="min-w-48 flex-1">
              <Link href={`/tasks/${taskId}`} className="font-medium underline-offset-4 hover:underline">
                <PlainText text={label ? `${tool} · ${label}` : tool} />
              </Link>
              <span className="block text-muted">
                <PlainText text={serverName} /> · {actorWords(requestedBy)} · <TimeAgo at={createdAt} />
              </span>
            </span>
            <span className="flex flex-col items-end gap-1 max-md:items-start">
              <BeforeBadge before={verdict.before} />
              <span className="text-muted">
                <PlainText text={reasonOf(verdict)} />
              </span>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function reasonOf({ rule, failure }: Verdict): string {
  if (failure) return `“${rule?.name}” can’t be applied: ${failure}`;
  return rule ? `by “${rule.name}”` : "no rule matches";
}
