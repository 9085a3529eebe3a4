"use client";

import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import { AnswerGiven } from "./answer-given.tsx";
import { RequestEnded } from "./request-ended.tsx";

/** What became of a request that is no longer open. */
export function RequestClosed({ request }: { request: InputRequestDetail }) {
  return (
    <>
      <RequestEnded request={request} />
      {request.answer && <AnswerGiven request={request} />}
    </>
  );
}
