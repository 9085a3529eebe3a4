import { useId } from "react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Clock, TimeAgo } from "@/components/time/time.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { ScrollX } from "@/components/ui/scroll-x.tsx";
import { excludedWords, MODE_WORDS } from "@/lib/requests/automatic/automatic-answer-words.ts";
import type { ReplaySummary } from "@/lib/requests/replay/replay-schema.ts";
import { movedWords } from "@/lib/requests/replay/replay-words.ts";
import { plural } from "@/lib/text/labels.ts";
import { Disagreements, RequestLink } from "../automatic/disagreements.tsx";
import type { ReplayShown } from "./use-replay.ts";

/** What a replay said: disagreements as they come, the figures once it is through. */
export function ReplayResults({ shown: { summary, disagreements } }: { shown: ReplayShown }) {
  const left = summary?.disagreementsLeftOut ?? 0;
  return (
    <>
      {summary && <Found summary={summary} />}
      {disagreements.length > 0 && (
        <Disagreements
          title={`${plural(disagreements.length + left, "disagreement")} with people`}
          items={disagreements}
          note={left > 0 ? `The first ${disagreements.length} are listed.` : undefined}
        />
      )}
      {summary && summary.requests > 0 && <NotKnown summary={summary} />}
    </>
  );
}

function Found({ summary }: { summary: ReplaySummary }) {
  const { requests, isCut, from, rules, moved, failed, automatic } = summary;
  const { number } = useFormats();
  if (requests === 0) return <Notice live title="There are no decisions of the last 30 days to try it on." />;
  return (
    <>
      <Notice
        live
        tone={failed.length > 0 ? "wait" : "neutral"}
        title={`Tried on ${number(requests)} ${requests === 1 ? "request" : "requests"} that people decided. It changes who has to agree on ${
          moved.total === 0 ? "none" : number(moved.total)
        } of them.`}
      >
        {isCut && (
          <p>
            There were more: the latest count, since <Clock at={from} />.
          </p>
        )}
        {failed.map(({ rule, isAutomatic, requests: of, why }) => (
          <p key={`${isAutomatic} ${rule}`}>
            “<PlainText text={rule} />” could not be applied to {number(of)} of them
            {isAutomatic ? ", and answers none of those" : ", which counts as if it matched"}:{" "}
            <PlainText text={why} />
          </p>
        ))}
      </Notice>
      {moved.total > 0 && <MovedRequests moved={moved} />}
      <Figures title="Who would have had to agree" columns={["Rule", "Stages", "Requests"]}>
        {rules.map(({ rule, stages, requests: of }) => (
          <tr key={JSON.stringify([rule, stages])} className="border-line border-b last:border-0">
            <th scope="row" className="px-3 py-2 text-left font-medium">
              {rule === null ? (
                <span className="font-normal text-muted">No rule: any one member, except viewers</span>
              ) : (
                <PlainText text={rule} />
              )}
            </th>
            <td className="px-3 py-2 text-muted">
              <PlainText text={stages.length > 0 ? stages.join(", then ") : "—"} />
            </td>
            <td className="px-3 py-2 text-right tabular-nums">{number(of)}</td>
          </tr>
        ))}
      </Figures>
      {automatic.length > 0 && (
        <Figures
          title="What would have been answered automatically"
          columns={["Rule", "Left to people", "Would have answered", "As people did", "Otherwise"]}
        >
          {automatic.map(({ rule, mode, answered, agreed, disagreed, excluded }) => (
            <tr key={rule} className="border-line border-b last:border-0">
              <th scope="row" className="px-3 py-2 text-left font-medium">
                <PlainText text={rule} />
                <span className="block font-normal text-muted text-xs">{MODE_WORDS[mode]}</span>
              </th>
              <td className="min-w-40 px-3 py-2 text-muted">{excludedWords(excluded) || "—"}</td>
              <td className="px-3 py-2 text-right tabular-nums">{number(answered)}</td>
              <td className="px-3 py-2 text-right tabular-nums">{number(agreed)}</td>
              <td className={disagreed > 0 ? BAD : "px-3 py-2 text-right tabular-nums"}>
                {number(disagreed)}
              </td>
            </tr>
          ))}
        </Figures>
      )}
    </>
  );
}

/** Requests on which other people had to agree than the policy says. Each opens in a new tab, so that what is on the page stays. */
function MovedRequests({ moved: { total, items } }: Pick<ReplaySummary, "moved">) {
  const id = useId();
  const formats = useFormats();
  const more = total - items.length;
  return (
    <div className="flex flex-col gap-1.5">
      <h3 id={id} className="font-medium text-[13px]">
        Changed requests
      </h3>
      <ul aria-labelledby={id} className="flex flex-col divide-y divide-line">
        {items.map((request) => (
          <li key={request.id} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 py-2 text-[13px]">
            <span className="min-w-48 flex-1">
              <RequestLink request={request} />
              {request.amount && (
                <span className="tabular-nums">
                  {" · "}
                  <PlainText text={formats.amount(request.amount)} />
                </span>
              )}
              <span className="text-muted">
                {" · asked "}
                <TimeAgo at={request.askedAt} />
              </span>
            </span>
            <span>
              <PlainText text={movedWords(request)} />
            </span>
          </li>
        ))}
      </ul>
      {more > 0 && (
        <p className="text-muted text-xs">
          And {formats.number(more)} earlier {more === 1 ? "one" : "ones"}.
        </p>
      )}
    </div>
  );
}

const BAD = "px-3 py-2 text-right font-medium text-bad tabular-nums";

/** A table under its heading; columns from the third on are of numbers. */
function Figures({
  title,
  columns,
  children,
}: {
  title: string;
  columns: string[];
  children: React.ReactNode;
}) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1.5">
      <h3 id={id} className="font-medium text-[13px]">
        {title}
      </h3>
      <ScrollX label={title}>
        <table aria-labelledby={id} className="w-full border-collapse text-[13px]">
          <thead>
            <tr className="border-line border-b text-muted text-xs">
              {columns.map((column, at) => (
                <th
                  key={column}
                  scope="col"
                  className={at < 2 ? "px-3 py-2 text-left font-medium" : "px-3 py-2 text-right font-medium"}
                >
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </ScrollX>
    </div>
  );
}

function NotKnown({ summary: { notKnown } }: { summary: ReplaySummary }) {
  return (
    <div className="text-muted text-xs">
      <p className="font-medium">What this can’t take into account</p>
      <ul className="list-disc pl-4">
        {notKnown.map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
    </div>
  );
}
