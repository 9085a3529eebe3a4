"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { MessageSquareText, Trash2 } from "lucide-react";
import { useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { RequestComment } from "@/lib/requests/comments/comment-schema.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { Composer, hasTabDraft } from "./composer.tsx";
import { type RemarkField, Remarks } from "./remarks.tsx";
import { requestThread, useShowRequest } from "./thread-data.ts";

/** What people say to each other about a request. Nothing of it is sent to the server. */
export function Thread({
  request,
  remarks,
}: {
  request: InputRequestDetail;
  /** The field for what this person writes, and the comment of a decision that it may hold. */
  remarks: RemarkField;
}) {
  const me = useMe();
  const thread = useQuery(requestThread(request.id));
  const [deleting, setDeleting] = useState<RequestComment | null>(null);
  const items = thread.data?.items ?? [];
  const latest = items.findLast(({ by, text }) => by.id !== me.user.id && text !== null);
  const [known, setKnown] = useState<string | null>(null);
  // What was there when the request was opened is no news.
  if (thread.data && known === null) setKnown(latest?.id ?? "");
  const [isDrafted] = useState(() => hasTabDraft(request.id));
  const isBegun = isDrafted || request.needsInfo?.of.id === me.user.id;
  const mayComment = thread.data?.mayComment === true;
  if (items.length === 0 && !mayComment && !thread.isError && !remarks.comment) return null;
  return (
    <section aria-labelledby="discussion-heading" className="flex flex-col gap-3">
      <h3
        id="discussion-heading"
        className={items.length > 0 ? "font-medium text-[13px] text-muted" : "sr-only"}
      >
        Comments
        {items.length > 0 && <span className="font-normal"> · only your organization sees this</span>}
      </h3>
      <p role="status" className="sr-only">
        {latest && known !== null && latest.id !== known && `New comment from ${actorWords(latest.by)}`}
      </p>
      {thread.isError && (
        <p role="alert" className="text-[13px] text-bad">
          The comments could not be loaded. {errorSentence(thread.error)}{" "}
          <Button variant="link" className="h-auto px-0" onClick={() => void thread.refetch()}>
            Try again
          </Button>
        </p>
      )}
      {items.length > 0 && (
        <ol aria-label="Comments" className="flex flex-col gap-3.5">
          {items.map((comment) => (
            <Comment
              key={comment.id}
              comment={comment}
              isOwn={comment.by.id === me.user.id && !me.view}
              mentionsMe={comment.mentions.some(({ id }) => id === me.user.id)}
              onDelete={() => setDeleting(comment)}
            />
          ))}
        </ol>
      )}
      <Remarks
        {...remarks}
        open={remarks.open ?? (isBegun ? { for: "discussion", focus: false } : null)}
        composer={
          thread.data?.mayComment && (
            <Composer key={request.id} request={request} requester={thread.data.requester} />
          )
        }
      />
      {deleting && (
        <DeleteDialog
          inputRequestId={request.id}
          comment={deleting}
          onDismiss={() => {
            setDeleting(null);
            remarks.onOpen({ for: "discussion", focus: true });
          }}
        />
      )}
    </section>
  );
}

function Comment({
  comment,
  isOwn,
  mentionsMe,
  onDelete,
}: {
  comment: RequestComment;
  isOwn: boolean;
  mentionsMe: boolean;
  onDelete: () => void;
}) {
  const { by, at, text, asks } = comment;
  if (text === null)
    return (
      <li className="text-[13px] text-muted">
        {actorWords(by, { begins: true })} deleted a comment · <TimeAgo at={at} />
      </li>
    );
  return (
    <li className="flex min-w-0 flex-col gap-1">
      <p className="flex min-h-6 flex-wrap items-center gap-x-2 gap-y-1 text-[13px] text-muted">
        <span className="font-medium text-ink">
          <PlainText text={actorWords(by, { begins: true })} />
        </span>
        <TimeAgo at={at} />
        {asks && (
          <Badge tone="wait" icon={MessageSquareText}>
            Asked for information
          </Badge>
        )}
        {mentionsMe && <Badge tone="accent">Mentions you</Badge>}
        {isOwn && (
          <Button
            variant="ghost"
            size="icon"
            className="-my-2 ml-auto"
            aria-label="Delete this comment"
            title="Delete this comment"
            onClick={onDelete}
          >
            <Trash2 aria-hidden strokeWidth={1.75} />
          </Button>
        )}
      </p>
      <p className="whitespace-pre-line break-words">
        <PlainText text={text} />
      </p>
    </li>
  );
}

function DeleteDialog({
  inputRequestId,
  comment,
  onDismiss,
}: {
  inputRequestId: string;
  comment: RequestComment;
  onDismiss: () => void;
}) {
  const show = useShowRequest(inputRequestId);
  const deletion = useMutation({
    mutationFn: () => api.delete(`/api/v1/input-requests/${inputRequestId}/comments/${comment.id}`),
    onSuccess: () => {
      show();
      onDismiss();
    },
  });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onDismiss()}
      title="Delete this comment"
      description="Its text is deleted for everybody, for good. The history keeps that you wrote and deleted a comment."
    >
      {deletion.error && <p role="alert">{errorSentence(deletion.error)}</p>}
      <DialogActions>
        <Button onClick={onDismiss}>Close</Button>
        <Button variant="destructive" disabled={deletion.isPending} onClick={() => deletion.mutate()}>
          Delete
        </Button>
      </DialogActions>
    </Dialog>
  );
}
