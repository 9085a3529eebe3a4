import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { diffWords } from "@/lib/format/text-diff.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";

type Question = { message: string; schema: unknown; url: string | null };

/** The server asked something else while the form was open: nothing is rebuilt until the person says so. */
export function QuestionChanged({
  before,
  after,
  onShow,
}: {
  before: Question;
  after: InputRequestDetail;
  onShow: () => void;
}) {
  return (
    <Notice
      live
      tone="wait"
      title="The question has changed. Nothing was sent."
      action={
        <Button size="sm" onClick={onShow}>
          Show the new question
        </Button>
      }
    >
      <Difference before={before} after={after} />
    </Notice>
  );
}

/** A question that took the place of another says so when it is opened. */
export function QuestionReplaced({ before, after }: { before: Question; after: Question }) {
  return (
    <Notice tone="wait" title="The server asked something else before. Please decide on this one anew.">
      <Difference before={before} after={after} />
    </Notice>
  );
}

function Difference({ before, after }: { before: Question; after: Question }) {
  const fieldsChanged = JSON.stringify(before.schema ?? null) !== JSON.stringify(after.schema ?? null);
  return (
    <>
      <p className="whitespace-pre-line">
        {diffWords(before.message, after.message).map((part, index) => {
          // The parts are computed from two fixed texts: their place is their identity.
          const key = index;
          if (part.kind === "gone") {
            return (
              <del key={key} className="rounded-sm bg-bad-soft px-0.5 text-bad">
                {part.text}
              </del>
            );
          }
          if (part.kind === "new") {
            return (
              <ins key={key} className="rounded-sm bg-good-soft px-0.5 font-medium text-good no-underline">
                {part.text}
              </ins>
            );
          }
          return <span key={key}>{part.text}</span>;
        })}
      </p>
      {before.url !== after.url && <p>The address to open is another one.</p>}
      {fieldsChanged && <p>The fields of the form are different too.</p>}
    </>
  );
}
