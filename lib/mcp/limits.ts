/**
 * Limits of what Intray accepts from a server. Servers are not trusted: Intray refuses, cuts or drops everything beyond a limit.
 * No real server comes near them.
 */

/** A reply, or one event of a stream, in bytes. Results may be large; nothing we keep is larger. */
export const REPLY_BYTES = 8 * 1024 * 1024;
/** A reply of more bytes is large. Few large replies are read at a time. */
export const LARGE_BYTES = 128 * 1024;
/** Bytes of the heap for each large reply that is read at a time. */
export const LARGE_SHARE_BYTES = 32 * 1024 * 1024;
/** Most large replies that are read at a time, whatever the heap is. */
export const LARGE_MOST = 32;
/** Most of one origin. */
export const LARGE_EACH = 2;
/** Time limit for reading a large reply, in ms. */
export const LARGE_MS = 60_000;
/** How long a server's reply to the end of a session (DELETE) is waited for, in ms. */
export const CLOSE_MS = 1_000;
/** The body of an answer outside 2xx, in bytes. */
export const ERROR_BYTES = 64 * 1024;
/** One message of a command, and one line of its stderr, in bytes. */
export const LINE_BYTES = 10 * 1024 * 1024;
export const LOG_LINE_BYTES = 4 * 1024;
/** Messages in one array, which servers of 2025-03-26 may send. */
export const BATCH_MESSAGES = 1_000;
/** Redirects of one request that are followed, and the characters of a target that people are shown. */
export const REDIRECTS = 5;
export const SHOWN_URL_CHARACTERS = 300;
/** Levels and values of one message's JSON. What is deeper ends the process that writes it down, by its recursion. */
export const DEPTH = 100;
export const VALUES = 100_000;
/** Of an event's id: a longer one is none. */
export const EVENT_ID_CHARACTERS = 1_000;
/** Events and bytes of one stream, beyond what it may bring a second: more is a flood, and the stream is dropped. */
export const FLOOD_EVENTS = 50_000;
export const FLOOD_BYTES = 64 * 1024 * 1024;
/** Few enough that a flood is one also where this process is slow to read it. */
export const FLOOD_EVENTS_A_SECOND = 500;
export const FLOOD_BYTES_A_SECOND = 512 * 1024;
/** Replies of ours to pings and refused requests that are under way on one stream; the others get none. */
export const INSTANT_REPLIES = 8;
/** Messages of a session's streams that are not handled yet, per task of the session; more are refused. */
export const UNHANDLED_MESSAGES = 100;
/** Of all tasks of a session together. */
export const UNHANDLED_OF_SESSION = 2_000;
/** Questions of a session that its server has announced in status notifications and not put yet. */
export const ANNOUNCED_QUESTIONS = 100;
/** How long after its announcement such a question may come, in ms. */
export const ANNOUNCED_MS = 30_000;
/** Unhandled messages of one connection's streams, in characters; more are refused. */
export const UNHANDLED_CHARACTERS = 2 * 1024 * 1024;

/** A status message or a progress message, in characters; the rest is cut. */
export const STATUS_CHARACTERS = 1_000;
/** An error's message, in characters; the rest is cut. */
export const ERROR_CHARACTERS = 2_000;
/** Keys of questions and JSON-RPC ids, in UTF-16 units: Postgres' indexes hold no longer ones. */
export const ID_CHARACTERS = 500;
/** A task id: it goes into a header of every poll. */
export const HANDLE_CHARACTERS = 4_000;

/** Message, schema and URL of one question, in characters: a larger one is never shown half. */
export const QUESTION_CHARACTERS = 256 * 1024;
/** A URL to visit: a cut one would lead elsewhere. */
export const URL_CHARACTERS = 8_000;
/** Questions of one task that wait at a time; the others are taken when these are answered. */
export const OPEN_QUESTIONS = 100;
/** Entries of one reply's `inputRequests`: a reply with more is refused. */
export const INPUT_REQUESTS = 1_000;
/** Questions of one task over its whole life, without those that people have answered. */
export const QUESTIONS = 1_000;
/** Ways to one question that are kept, the newest: it may be put again under ever new ids. */
export const ASKS = 50;
/** Elicitation tasks as which one question may be put while it waits (2025-11-25): each is a way to it, and all are kept. */
export const QUESTION_TASKS = 50;
/** Elicitation tasks on one connection whose question waits for room, is of a task not known yet, or was nobody's for a day. */
export const NOBODYS_TASKS = 10_000;
/** URLs to visit before one call. */
export const URLS = 20;

/** Pages of a list, and what is read of `tools/list`. */
export const TOOL_PAGES = 20;
export const TOOLS = 1_000;
export const TASK_PAGES = 100;
/** One tool, all tools, and what a server says of itself, in characters of JSON. */
export const TOOL_CHARACTERS = 256 * 1024;
/** Values of one tool, and of all tools of a server: agents are told of them in one turn. */
export const TOOL_VALUES = 20_000;
export const TOOLS_VALUES = 50_000;
export const TOOLS_CHARACTERS = 2 * 1024 * 1024;
export const CAPABILITIES_CHARACTERS = 64 * 1024;
/** A tool's name, and its title and description, in characters. */
export const TOOL_NAME_CHARACTERS = 256;
export const TOOL_TEXT_CHARACTERS = 10_000;

/** Parts of one resource that are looked at. */
export const RESOURCE_PARTS = 20;
/** A document that people may see beside a request, in bytes: what fits into a reply as Base64. */
export const DOCUMENT_BYTES = 6_000_000;
/** How long a server, or a command that is started for it, may take to hand out a document, in ms. */
export const DOCUMENT_MS = 30_000;
