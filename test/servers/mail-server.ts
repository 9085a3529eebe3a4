/** A mail server that keeps received mail, and can misbehave. */
import { once } from "node:events";
import { SMTPServer } from "smtp-server";

export interface ReceivedMail {
  to: string[];
  messageId: string;
  subject: string;
  /** The whole mail, decoded. */
  source: string;
}

export interface MailServer {
  url: string;
  mails: ReceivedMail[];
  /**
   * refuse: rejects every mail for good; busy: rejects for now; lose: takes the mail, and breaks the
   * connection before saying so; silent: sends no greeting.
   */
  mood: "ok" | "refuse" | "busy" | "lose" | "silent";
  close(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["AUTH", "STARTTLS"],
    onConnect(_, greet) {
      if (box.mood !== "silent") greet();
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mood } = box;
        if (mood === "refuse" || mood === "busy")
          return done(Object.assign(new Error("no"), { responseCode: mood === "busy" ? 451 : 550 }));
        const to = session.envelope.rcptTo.map(({ address }) => address);
        box.mails.push(parse(to, Buffer.concat(chunks).toString("utf8")));
        if (mood === "lose") return [...server.connections].forEach((each) => void each.close());
        done();
      });
    },
  });
  server.on("error", () => undefined); // connections that tests break
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as { port: number };
  const box: MailServer = {
    url: `smtp://127.0.0.1:${port}?from=intray@test.example`,
    mails: [],
    mood: "ok",
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return box;
}

function parse(to: string[], raw: string): ReceivedMail {
  const source = raw
    .replaceAll(/=\r?\n/g, "")
    .replaceAll(/(?:=[0-9A-F]{2})+/g, (bytes) =>
      Buffer.from(bytes.replaceAll("=", ""), "hex").toString("utf8"),
    );
  const [head = ""] = raw.split(/\r?\n\r?\n/);
  const header = (name: string) =>
    new RegExp(`^${name}:\\s*(.*(?:\\r?\\n\\s.*)*)`, "im").exec(head)?.[1]?.replaceAll(/\r?\n\s+/g, " ") ??
    "";
  return { to, messageId: header("message-id"), subject: header("subject"), source };
}
