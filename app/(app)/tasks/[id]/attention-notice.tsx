import { SEVERITY_TONES } from "@/components/task/attention-badge.tsx";
import { FoldedText } from "@/components/text/folded-text.tsx";
import { Age } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { failureWords } from "@/lib/format/overview.ts";
import { isLive } from "@/lib/format/tasks/outcome.ts";
import { ATTENTION, type AttentionCode } from "@/lib/tasks/attention.ts";
import type { TaskDetail } from "@/lib/tasks/schema.ts";

/** Why the task is stuck, with a link to the remedy. */
export function AttentionNotice({ task }: { task: TaskDetail }) {
  const { attention } = task;
  if (!attention) return null;
  const { severity, label, words } = ATTENTION[attention.code];
  const way = wayOut(task, attention.code);
  return (
    <Notice
      tone={SEVERITY_TONES[severity]}
      title={
        <>
          {label}, no change for <Age at={attention.since} />
        </>
      }
      action={
        way && (
          <Button asChild size="sm">
            <Link href={way.href}>{way.name}</Link>
          </Button>
        )
      }
    >
      <p>{words}</p>
      {task.unattributedQuestions.map(
        ({ id, message }) =>
          message !== null && (
            <p key={id} className="text-muted">
              <FoldedText text={message} />
            </p>
          ),
      )}
      {task.error && isLive(task.state) && (
        <p className="text-muted">
          {failureWords(task.error.code)}: <FoldedText text={task.error.message} />
        </p>
      )}
    </Notice>
  );
}

const AT_SERVER: AttentionCode[] = [
  "needs_sign_in",
  "server_unreachable",
  "server_failing",
  "state_unknown",
  "stalled",
  "start_slow",
];
/** The state of the request that needs attention. */
const AT_REQUEST: Partial<Record<AttentionCode, string>> = {
  undeliverable: "undeliverable",
  delivery_flagged: "answered",
  answer_waiting: "answered",
  expiring: "open",
  waiting_long: "open",
};

function wayOut(task: TaskDetail, code: AttentionCode): { href: string; name: string } | null {
  if (AT_SERVER.includes(code)) {
    return { href: `/servers/${task.server.id}`, name: `Look at ${task.server.name}` };
  }
  const request = task.inputRequests.find(({ state }) => state === AT_REQUEST[code]);
  return request ? { href: `/inbox/${request.id}`, name: "Open the request" } : null;
}
