"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ValueChanges } from "@/components/facts/value-changes.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Unread } from "@/components/ui/failure.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import type { AnswerInput } from "@/lib/requests/request-input-schema.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { agreedChange, askedCall, editWords } from "@/lib/requests/words/changed-calls.ts";
import { programCallOf } from "@/lib/requests/words/own-questions.ts";
import { requestName } from "@/lib/requests/words/request-labels.ts";
import { changesOf } from "@/lib/text/value-changes.ts";
import { seenServerTools } from "@/lib/web/client/servers.ts";
import { ArgumentsTabs, ProblemList, useArguments } from "../../../tasks/new/arguments/arguments-editor.tsx";
import type { Problem } from "../../../tasks/new/arguments/judge-arguments.ts";
import type { Json } from "../../../tasks/new/arguments/schema-tree.ts";
import { ApproveButton } from "./guarded-button.tsx";

interface EditProps {
  request: InputRequestDetail;
  comment: string;
  /** The arguments of a change that was refused; null: none was. */
  refused: Json | null;
  pending: boolean;
  onDismiss: () => void;
  onSend: (answer: Pick<AnswerInput, "action" | "content">, comment: string) => void;
}

/** Approves a call with other arguments: by the tool's form, or as JSON, with the difference in view. */
export function EditCallDialog(props: EditProps) {
  const { request, onDismiss } = props;
  const subject = askedCall(request);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onDismiss()}
      title={`Approve ${requestName(request)} with changes`}
      description={editWords(request)}
      className="md:max-w-2xl"
    >
      {request.gate ? (
        <OfTool {...props} asked={subject.arguments} />
      ) : (
        <EditForm {...props} asked={subject.arguments} inputSchema={subject.inputSchema} />
      )}
    </Dialog>
  );
}

function OfTool({ asked, ...props }: EditProps & { asked: Json }) {
  const { request } = props;
  const tools = useQuery(seenServerTools(request.server.id));
  if (!tools.data) return <Unread what="The tool" query={tools} className="h-48" />;
  const tool = tools.data.items.find(({ name }) => name === request.tool);
  if (!tool) return <p>{request.server.name} does not list this tool any more.</p>;
  return <EditForm {...props} asked={asked} inputSchema={tool.inputSchema} />;
}

function EditForm({
  request,
  comment,
  refused,
  pending,
  onDismiss,
  onSend,
  asked,
  inputSchema,
}: EditProps & { asked: Json; inputSchema: Json }) {
  const agreed = agreedChange(request);
  const edited = useArguments(inputSchema, refused ?? agreed ?? asked);
  const [problems, setProblems] = useState<Problem[]>([]);
  const isSame = changesOf(asked, edited.values).changes.length === 0;
  const approve = () => {
    const found = edited.judged();
    setProblems(found);
    if (found[0]) return edited.focus(found[0]);
    onSend({ action: "accept", content: isSame ? {} : { arguments: edited.values } }, comment);
  };
  return (
    <div className="flex flex-col gap-5">
      <ArgumentsTabs
        edited={edited}
        // The fields are those of this call. Which of them the program needs, nobody told.
        need={programCallOf(request) ? null : "optional"}
        problems={problems}
        onChange={(next) => {
          edited.setValues(next);
          setProblems([]);
        }}
      />
      <section
        aria-label="What you change"
        className="flex flex-col gap-1.5 rounded-lg border border-line bg-bg p-3.5"
      >
        <h3 className="font-medium text-[13px] text-muted">What you change</h3>
        <ValueChanges before={asked} after={edited.values} none="Nothing yet." />
      </section>
      <ProblemList sentence={null} problems={problems} edited={edited}>
        <p>Nothing was approved.</p>
      </ProblemList>
      <DialogActions>
        <Button onClick={onDismiss}>Close</Button>
        <ApproveButton
          request={request}
          pending={pending}
          // Where others agreed to changes, to take all of them back is a change as well.
          disabled={!edited.jsonValid || (isSame && agreed === null)}
          onPress={approve}
        >
          {isSame && agreed ? "Approve as asked" : "Approve with changes"}
        </ApproveButton>
      </DialogActions>
    </div>
  );
}
