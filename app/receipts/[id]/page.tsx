import { headers } from "next/headers";
import { notFound } from "next/navigation";
import type { ReactNode } from "react";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Link } from "@/components/ui/link.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { Tx } from "@/lib/base/db/db.ts";
import { AppError } from "@/lib/base/errors.ts";
import { readReceipt } from "@/lib/requests/receipts/receipt-reads.ts";
import type { Receipt } from "@/lib/requests/receipts/receipt-schema.ts";
import { SENT, signInWords } from "@/lib/requests/receipts/words.ts";
import { readInputRequest } from "@/lib/requests/request-reads.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { cellsBeside } from "@/lib/requests/words/answer-values.ts";
import { requestLabel } from "@/lib/requests/words/request-labels.ts";
import { type Formats, formatsOf } from "@/lib/text/formats/formats.ts";
import { localeOf } from "@/lib/text/formats/locales.ts";
import { splitMessage } from "@/lib/text/message-tokens.ts";
import { currentPreferences, requireSession } from "@/lib/web/auth/session.ts";
import { idParams } from "@/lib/web/http/route.ts";
import { readForPage } from "@/lib/web/pages/read-for-page.ts";
import { Calls, cellWords, Rows } from "./calls.tsx";
import { PrintButton } from "./print-button.tsx";

export const metadata = { title: "Receipt" };

/**
 * A receipt as a page to print, for readers of the request: what was asked, who decided how, and what was sent. Unlike the
 * signed receipt it holds the texts. Times are UTC, so that each print of a receipt says the same.
 */
export default async function ReceiptPage({ params }: { params: Promise<{ id: string }> }) {
  const session = await requireSession();
  const id = idParams.safeParse(await params).data?.id;
  const read = id ? await readBoth(id) : null;
  if (!read) notFound();
  const { request, receipt } = read;
  const formats = formatsOf(await locale(), "UTC");
  const { title, body } = splitMessage(request.message);
  const last = receipt.history.at(-1);
  return (
    // Paper is white in the dark, too.
    <main className="light min-h-dvh bg-panel text-ink">
      <article className="mx-auto flex max-w-[46rem] flex-col gap-6 px-6 py-8 print:max-w-none print:p-0">
        <nav aria-label="Receipt" className="flex items-center justify-between gap-4 print:hidden">
          <Link
            href={`/inbox/${request.id}?tab=done`}
            className="text-accent underline-offset-4 hover:underline max-md:py-3"
          >
            Back to the request
          </Link>
          <PrintButton />
        </nav>
        <header className="flex flex-col gap-1.5">
          <p className="text-muted">
            Receipt · <PlainText text={receipt.organization.name} />
          </p>
          <h1 className="whitespace-pre-wrap break-words font-semibold text-xl leading-snug tracking-tight">
            <PlainText text={title} />
          </h1>
          {body && (
            <p className="whitespace-pre-wrap break-words">
              <PlainText text={body} />
            </p>
          )}
        </header>
        <Part title="Request">
          <Rows
            rows={[
              ["State", requestLabel(request)],
              ["Name", request.label],
              ["Party", request.party],
              ["Amount", request.amount && formats.amount(request.amount)],
              ["Requested by", actorWords(request.requestedBy, { begins: true })],
              ["Asked by", `${request.server.name} / ${request.tool}`],
              ["Asked", formats.exact(request.createdAt)],
              ["Ended", receipt.request.endedAt && formats.exact(receipt.request.endedAt)],
            ]}
          />
        </Part>
        <Part title="Details">
          <Calls request={request} formats={formats} />
        </Part>
        {request.documents.items.length > 0 && (
          <Part title="Documents">
            <Rows
              rows={request.documents.items.map(({ name, uri }) => [name, uri ?? "In the request itself"])}
            />
          </Part>
        )}
        <Part title="Decision">
          <Decision request={request} receipt={receipt} formats={formats} />
        </Part>
        <Part title="Record">
          <Rows
            rows={[
              [
                "Rule",
                receipt.policy && `“${receipt.policy.rule}”, version ${receipt.policy.version} of the policy`,
              ],
              ["Request", request.id],
              ["Task", request.taskId],
              ["Question’s hash", request.questionHash],
              ["History", last && `Line ${last.seq}, hash ${last.hash}`],
              ["Made", `${formats.exact(Date.now())} for ${session.user.name}`],
            ]}
          />
          <p className="break-words text-muted text-xs">
            This page is not signed. Others can check the signed receipt: {receipt.issuer}
            /api/v1/input-requests/{request.id}/receipt
          </p>
        </Part>
      </article>
    </main>
  );
}

async function readBoth(id: string) {
  try {
    return await readForPage(async (tx: Tx, principal) => ({
      request: await readInputRequest(tx, principal, id),
      receipt: await readReceipt(tx, principal, id),
    }));
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return null;
    throw error;
  }
}

async function locale(): Promise<string> {
  return (await currentPreferences()).locale ?? localeOf((await headers()).get("accept-language"));
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-2.5 border-line border-t pt-4">
      <h2 className="break-after-avoid font-medium text-[13px] text-muted">{title}</h2>
      {children}
    </section>
  );
}

/** Who voted and answered, what was filled in, and how far the answer got. */
function Decision({
  request,
  receipt,
  formats,
}: {
  request: InputRequestDetail;
  receipt: Receipt;
  formats: Formats;
}) {
  const { answer } = request;
  const filled = cellsBeside(request, answer, formats);
  return (
    <>
      {receipt.votes.length + receipt.answers.length === 0 && <p>Nobody decided.</p>}
      <ul className="flex flex-col gap-1.5">
        {receipt.votes.map((vote) => (
          <li key={vote.id}>
            <PlainText
              text={`${actorWords(vote.by, { begins: true })}${vote.onBehalfOf ? ` for ${vote.onBehalfOf.name}` : ""} ${vote.agrees ? "agreed" : "rejected"} in the stage ${vote.stage}`}
            />
            <Small text={`${formats.exact(vote.at)} · ${signInWords(vote.signedIn)}`} />
            {vote.ended && <Small text={`No longer counts since ${formats.exact(vote.ended.at)}`} />}
          </li>
        ))}
        {receipt.answers.map((given) => (
          <li key={given.id}>
            <PlainText
              text={`${given.at === answer?.at ? answer.words : `Answered “${given.action}”`} by ${actorWords(given.by)}`}
            />
            <Small
              text={`${formats.exact(given.at)}${given.by.kind === "rule" ? "" : ` · ${signInWords(given.signedIn)}`}`}
            />
            {given.withdrawnAt && (
              <Small text={`No longer counts since ${formats.exact(given.withdrawnAt)}`} />
            )}
            {given.delivery?.acceptedAt && (
              <Small text={`Accepted by the server ${formats.exact(given.delivery.acceptedAt)}`} />
            )}
          </li>
        ))}
      </ul>
      {filled.length > 0 && (
        <Rows rows={filled.map(({ title, cell }) => [title, cellWords(cell, formats)])} />
      )}
      {answer?.comment && (
        <blockquote className="whitespace-pre-line border-line border-l-2 pl-3">
          <PlainText text={answer.comment} />
        </blockquote>
      )}
      <p>{SENT[receipt.sent]}</p>
    </>
  );
}

function Small({ text }: { text: string }) {
  return (
    <span className="block text-muted text-xs">
      <PlainText text={text} />
    </span>
  );
}
