import { FrontPage } from "@/components/shell/pages/front-page.tsx";
import { grantedServers, readAgentQuestion } from "@/lib/agents/oauth/agent-oauth-reads.ts";
import { questionHandleSchema } from "@/lib/agents/oauth/agent-oauth-schema.ts";
import { judgeRedirect } from "@/lib/agents/oauth/agent-oauth-status.ts";
import { organizationsOfSession } from "@/lib/web/auth/own-organizations.ts";
import { requireSession, type WebSession } from "@/lib/web/auth/session.ts";
import { principalOf } from "@/lib/web/auth/session-cookie.ts";
import { database } from "@/lib/web/database.ts";
import { drawnFor } from "@/lib/web/http/session-refusals.ts";
import { forPage } from "@/lib/web/pages/page-failure.ts";
import { readForPage } from "@/lib/web/pages/read-for-page.ts";
import { AgentQuestionForm } from "./agent-question-form.tsx";

interface Words {
  title: string;
  sentence: string;
}

const AGAIN = "Start again in your agent.";

/** By the code of the refusal: OAuth's, or one of Intray's. */
const WORDS: Record<string, Words> = {
  over: {
    title: "This sign-in has expired",
    sentence: `It was answered, is older than ten minutes, or was started in another browser. ${AGAIN}`,
  },
  role: {
    title: "Your role can’t use agents",
    sentence: "To start tasks, an agent needs the role operator. Ask an admin of your organization.",
  },
  view: {
    title: "You are viewing as a member",
    sentence:
      "Only members themselves allow agents to act as them. Stop viewing, then start again in your agent.",
  },
  invalid_client: {
    title: "Intray doesn’t know this agent",
    sentence:
      "Its registration is gone, or what it publishes about itself is wrong. Remove Intray in your agent and add it again.",
  },
  invalid_redirect_uri: {
    title: "This agent redirects to an unknown address",
    sentence:
      "It did not register the address that it redirects to. Remove Intray in your agent and add it again.",
  },
  invalid_target: {
    title: "This agent asks for another address",
    sentence: "It wants access to an address that is not this Intray’s. Check the address in your agent.",
  },
  temporarily_unavailable: {
    title: "Intray can’t do this right now",
    sentence: `There were too many attempts, or the database can’t be reached. Wait a minute. ${AGAIN}`,
  },
  access_denied: {
    title: "The agent was not allowed",
    sentence: `Your own sign-in ended meanwhile. ${AGAIN}`,
  },
};

const OTHERWISE: Words = {
  title: "The agent could not be signed in",
  sentence: `Its request is not valid. ${AGAIN} If it happens again, tell the people who make the agent.`,
};

function refusalWords(code: string): Words {
  return Object.hasOwn(WORDS, code) ? (WORDS[code] ?? OTHERWISE) : OTHERWISE;
}

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
