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
    sentence: "Agents start tasks, which needs the role operator. Ask an admin of your organization.",
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
    sentence: `There were too many tries, or the database can’t be reached. Wait a minute. ${AGAIN}`,
  },
  access_denied: {
    title: "The agent was not allowed",
    sentence: `Your own sign-in ended meanwhile. ${AGAIN}`,
  },
};

const OTHERWISE: Words = {
  title: "The agent could not be signed in",
  sentence: `What it asked for is not valid. ${AGAIN} If it happens again, tell whoever makes the agent.`,
};

export function refusalWords(code: string): Words {
  return Object.hasOwn(WORDS, code) ? (WORDS[code] ?? OTHERWISE) : OTHERWISE;
}
