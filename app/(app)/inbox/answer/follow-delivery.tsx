"use client";

import { type QueryClient, QueryObserver } from "@tanstack/react-query";
import { Link } from "@/components/ui/link.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { requestDetail } from "@/lib/api-client/requests.ts";
import { type DeliveryStage, deliveryStage, reachIn } from "@/lib/format/requests/delivery.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import { HeldToast } from "./decided-toast.tsx";
import { forgetHeld } from "./undoable-decisions.ts";

/** How long a line about the way of an answer stays; what failed stays until it is put away. */
const LINE_MS = 6_000;

/**
 * Tells in one toast how an answer goes its way: held, sending, accepted by the server; or that it failed, with the
 * way back to it. Goes on when the pane has moved to the next request, until the answer has arrived or never will.
 */
export function followDelivery(
  client: QueryClient,
  request: InputRequestDetail,
  said: { what: string; holdMs: number },
) {
  let last: DeliveryStage | null = null;
  const observer = new QueryObserver(client, requestDetail(request.id));
  const look = (now: InputRequestDetail) => {
    const stage = deliveryStage(now);
    if (stage === last) return;
    last = stage;
    if (stage !== "held") forgetHeld(request.id);
    tell(now, stage, said);
    if (stage === "accepted" || stage === "failed" || stage === "undone") stop();
  };
  const stop = observer.subscribe(({ data }) => data && look(data));
  look(request);
}

function tell(request: InputRequestDetail, stage: DeliveryStage, said: { what: string; holdMs: number }) {
  const { id, server, delivery } = request;
  const unreached =
    delivery && reachIn(delivery) !== "nothing"
      ? `the question is over: whether ${server.name} counted the answer is unknown`
      : `the answer did not reach ${server.name}`;
  switch (stage) {
    case "held":
      toast(
        <HeldToast
          requestId={id}
          what={said.what}
          server={server.name}
          holdMs={said.holdMs}
          until={request.delivery?.deliverAfter ?? new Date().toISOString()}
        />,
        { id, duration: Number.POSITIVE_INFINITY, dismissible: false },
      );
      return;
    case "sending":
      toast(`${said.what} · recorded, sending to ${server.name}`, {
        id,
        duration: LINE_MS,
        dismissible: true,
      });
      return;
    case "accepted":
      toast(`${said.what} · ${delivery?.acceptedAt ? `accepted by ${server.name}` : "the task moved on"}`, {
        id,
        duration: LINE_MS,
        dismissible: true,
      });
      return;
    case "failed":
      toast.error(
        <span>
          {said.what}, but {unreached}.{" "}
          <Link href={`/inbox/${id}`} className="underline underline-offset-4">
            See what happened
          </Link>
        </span>,
        { id, duration: Number.POSITIVE_INFINITY, closeButton: true, dismissible: true },
      );
      return;
    case "undone":
      // Whoever took it back says so.
      return;
  }
}
