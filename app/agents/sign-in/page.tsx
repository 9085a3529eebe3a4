import { FrontPage } from "@/components/shell/pages/front-page.tsx";
import { grantedServers, readAgentQuestion } from "@/lib/agents/oauth/queries.ts";
import { questionHandleSchema } from "@/lib/agents/oauth/schema.ts";
import { judgeRedirect } from "@/lib/agents/oauth/status.ts";
import { organizationsOfSession } from "@/lib/web/auth/own-organizations.ts";
import { requireSession, type WebSession } from "@/lib/web/auth/session.ts";
import { principalOf } from "@/lib/web/auth/session-cookie.ts";
import { database } from "@/lib/web/database.ts";
import { drawnFor } from "@/lib/web/http/organization-header.ts";
import { forPage } from "@/lib/web/pages/page-failure.ts";
import { readForPage } from "@/lib/web/pages/read-for-page.ts";
import { AgentQuestionForm } from "./agent-question-form.tsx";
import { refusalWords } from "./refusal-words.ts";

export const metadata = { title: "Agent sign-in", referrer: "no-referrer" as const };

/** Asks a member whether an agent may act as them. Viewing it decides nothing. */
export default async function AgentSignInPage({
  searchParams,
}: {
  searchParams: Promise<Record<"request" | "error", string | string[] | undefined>>;
}) {
  const { request, error } = await searchParams;
  if (typeof error === "string") return <Refusal code={error} />;
  const session = await requireSession({ inView: true });
  if (session.view) return <Refusal code="view" />;
  const handle = questionHandleSchema.safeParse(request).data;
  const question = handle === undefined ? null : await forPage(readQuestion(handle, session.id));
  const redirect = question && judgeRedirect(question.params.redirect_uri);
  if (handle === undefined || !question || !redirect) return <Refusal code="over" />;
  const servers = await readForPage((tx) => grantedServers(tx, session.user.id, question.params.client_id));
  return (
    <FrontPage title="An agent asks to act as you">
      <AgentQuestionForm
        handle={handle}
        client={{ name: question.client.name, publisher: question.client.publisher }}
        redirect={redirect}
        servers={servers}
        me={await meOf(session)}
      />
    </FrontPage>
  );
}

async function readQuestion(handle: string, sessionId: string) {
  return readAgentQuestion(await database(), handle, sessionId);
}

async function meOf(session: WebSession) {
  const { user, organization, role } = session;
  const organizations = await forPage(organizationsOfSession(session.id));
  return {
    name: user.name,
    role,
    organization: { id: organization.id, name: organization.name },
    others: organizations
      .filter(({ id, refusal }) => id !== organization.id && refusal === null)
      .map(({ id, name }) => ({ id, name })),
    drawnFor: drawnFor(principalOf(session)),
  };
}

function Refusal({ code }: { code: string }) {
  const { title, sentence } = refusalWords(code);
  return (
    <FrontPage title={title} intro={sentence}>
      <p className="text-[13px] text-muted">Nothing was allowed. You can close this tab.</p>
    </FrontPage>
  );
}
